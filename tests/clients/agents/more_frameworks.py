"""More agent frameworks, each with the API that it asks by default."""

from __future__ import annotations

import asyncio
import os
import tempfile
from typing import Any

from tests.clients.agents.weather import get_weather, warm_model
from tests.clients.client import (
    EMBEDDINGS,
    QUESTION,
    STREAM,
    STRUCTURED,
    STRUCTURED_QUESTION,
    TOOLS,
    client,
)


def llama_index(llm: Any, mode: str) -> str:
    from llama_index.core.agent.workflow import AgentStream, FunctionAgent

    if mode == STRUCTURED:
        reply = llm.as_structured_llm(warm_model()).complete(STRUCTURED_QUESTION)
        return str(reply.raw.model_dump_json())
    agent = FunctionAgent(tools=[get_weather], llm=llm, streaming=mode == STREAM)

    async def run() -> str:
        handler = agent.run(QUESTION)
        if mode == STREAM:
            pieces = [each async for each in handler.stream_events()]
            assert any(isinstance(piece, AgentStream) for piece in pieces)
        return str(await handler)

    return asyncio.run(run())


@client("llama-index-openai", "chat", "llama-index-llms-openai")
def llama_index_openai(mode: str) -> str:
    from llama_index.llms.openai import OpenAI

    return llama_index(OpenAI("gpt-4o"), mode)


@client(
    "llama-index-cohere",
    "cohere",
    "llama-index-llms-cohere",
    needs='`Cohere(base_url=os.environ["WORKBENCH_URL"])`',
    modes=(TOOLS,),
)
def llama_index_cohere(mode: str) -> str:
    from llama_index.llms.cohere import Cohere

    url = os.environ["WORKBENCH_URL"]
    return llama_index(Cohere("command-r-plus", base_url=url, api_key="none"), mode)


@client("llama-index-responses", "responses", "llama-index-llms-openai", part="`OpenAIResponses`")
def llama_index_responses(mode: str) -> str:
    from llama_index.llms.openai import OpenAIResponses

    return llama_index(OpenAIResponses("gpt-4o"), mode)


@client("llama-index-google-genai", "gemini", "llama-index-llms-google-genai")
def llama_index_google_genai(mode: str) -> str:
    from llama_index.llms.google_genai import GoogleGenAI

    return llama_index(GoogleGenAI("gemini-2.5-flash"), mode)


@client("llama-index-mistralai", "chat", "llama-index-llms-mistralai")
def llama_index_mistralai(mode: str) -> str:
    from llama_index.llms.mistralai import MistralAI

    return llama_index(MistralAI("mistral-large-latest"), mode)


@client("llama-index-bedrock", "converse", "llama-index-llms-bedrock-converse")
def llama_index_bedrock(mode: str) -> str:
    from llama_index.llms.bedrock_converse import BedrockConverse

    return llama_index(BedrockConverse("anthropic.claude-3-haiku-20240307-v1:0"), mode)


@client(
    "crewai",
    "chat",
    "crewai",
    modes=(TOOLS,),
    environment={"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
)
def crewai(_: str) -> str:
    from crewai import Agent
    from crewai.tools import tool

    weather = tool("get_weather")(get_weather)
    agent = Agent(role="reporter", goal="tell", backstory="none", tools=[weather], llm="gpt-4o")
    return str(agent.kickoff(QUESTION).raw)


@client("autogen", "chat", "autogen-agentchat", "autogen-ext[openai]")
def autogen(mode: str) -> str:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    model = OpenAIChatCompletionClient(model="gpt-4o")
    form = warm_model() if mode == STRUCTURED else None
    agent = AssistantAgent(
        "weather",
        model_client=model,
        tools=None if form else [get_weather],
        output_content_type=form,
        model_client_stream=mode == STREAM,
        max_tool_iterations=5,
    )
    task = STRUCTURED_QUESTION if form else QUESTION
    message = asyncio.run(agent.run(task=task)).messages[-1]
    return str(message.content.model_dump_json() if form else message.content)


@client("semantic-kernel", "chat", "semantic-kernel")
def semantic_kernel(mode: str) -> str:
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import (
        OpenAIChatCompletion,
        OpenAIChatPromptExecutionSettings,
    )
    from semantic_kernel.functions import KernelArguments, kernel_function

    class Weather:
        @kernel_function(name="get_weather")
        def get_weather(self, city: str) -> str:
            """The weather of a city."""
            return get_weather(city)

    form = OpenAIChatPromptExecutionSettings(response_format=warm_model())
    structured: Any = {"arguments": KernelArguments(settings=form)} if mode == STRUCTURED else {}
    agent = ChatCompletionAgent(
        service=OpenAIChatCompletion(ai_model_id="gpt-4o"),
        name="weather",
        plugins=[] if mode == STRUCTURED else [Weather()],
        **structured,
    )

    async def run() -> str:
        if mode == STREAM:
            return "".join([str(piece) async for piece in agent.invoke_stream(QUESTION)])
        asked = STRUCTURED_QUESTION if mode == STRUCTURED else QUESTION
        return str(await agent.get_response(asked))

    return asyncio.run(run())


@client("haystack", "chat", "haystack-ai")
def haystack(mode: str) -> str:
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import create_tool_from_function

    if mode == STRUCTURED:
        model = OpenAIChatGenerator(
            model="gpt-4o", generation_kwargs={"response_format": warm_model()}
        )
        return str(model.run([ChatMessage.from_user(STRUCTURED_QUESTION)])["replies"][0].text)
    agent = Agent(
        chat_generator=OpenAIChatGenerator(model="gpt-4o"),
        tools=[create_tool_from_function(get_weather)],
        streaming_callback=(lambda _: None) if mode == STREAM else None,
    )
    return str(agent.run([ChatMessage.from_user(QUESTION)])["messages"][-1].text)


@client(
    "dspy",
    "chat",
    "dspy",
    modes=(STRUCTURED,),
    environment={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
)
def dspy(_: str) -> str:
    import dspy

    dspy.configure(lm=dspy.LM("openai/gpt-4o", cache=False), adapter=dspy.JSONAdapter())
    reply = dspy.Predict("question -> city: str, celsius: int")(question=STRUCTURED_QUESTION)
    return str(warm_model()(city=reply.city, celsius=reply.celsius).model_dump_json())


@client(
    "smolagents",
    "chat",
    "smolagents[openai]",
    modes=(TOOLS, STREAM),
    replies=(
        ("--tool-call", "get_weather", '{"city":"Rome"}'),
        ("--tool-call", "get_weather", '{"city":"Oslo"}'),
        ("--tool-call", "final_answer", '{"answer":"21 C in both."}'),
    ),
)
def smolagents(mode: str) -> str:
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    agent = ToolCallingAgent(
        tools=[tool(get_weather)],
        model=OpenAIModel("gpt-4o"),
        stream_outputs=mode == STREAM,
        verbosity_level=0,
    )
    return str(agent.run(QUESTION))


@client("instructor", "chat", "instructor", modes=(STRUCTURED,))
def instructor(_: str) -> str:
    import instructor

    messages: Any = [{"role": "user", "content": STRUCTURED_QUESTION}]
    model = instructor.from_provider("openai/gpt-4o")
    return str(model.create(messages=messages, response_model=warm_model()).model_dump_json())


@client(
    "instructor-anthropic",
    "messages",
    "instructor[anthropic]",
    part="`anthropic/`",
    modes=(STRUCTURED,),
)
def instructor_anthropic(_: str) -> str:
    import instructor

    messages: Any = [{"role": "user", "content": STRUCTURED_QUESTION}]
    model = instructor.from_provider("anthropic/claude-sonnet-5", max_tokens=99)
    return str(model.create(messages=messages, response_model=warm_model()).model_dump_json())


@client("google-adk", "gemini", "google-adk")
def google_adk(mode: str) -> str:
    from google.adk.agents import LlmAgent
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    form: Any = {"output_schema": warm_model()} if mode == STRUCTURED else {"tools": [get_weather]}
    agent = LlmAgent(name="weather", model="gemini-2.5-flash", instruction="Answer.", **form)
    asked = STRUCTURED_QUESTION if mode == STRUCTURED else QUESTION
    streaming = StreamingMode.SSE if mode == STREAM else StreamingMode.NONE

    async def run() -> str:
        runner = InMemoryRunner(agent, app_name="weather")
        session = await runner.session_service.create_session(app_name="weather", user_id="u")
        events = runner.run_async(
            user_id="u",
            session_id=session.id,
            new_message=types.UserContent(asked),
            run_config=RunConfig(streaming_mode=streaming),
        )
        texts = [
            "".join(part.text or "" for part in event.content.parts or [])
            async for event in events
            if event.is_final_response() and event.content
        ]
        return texts[-1]

    return asyncio.run(run())


@client("agent-framework", "responses", "agent-framework-openai")
def agent_framework(mode: str) -> str:
    from agent_framework.openai import OpenAIChatClient

    form: Any = {"options": {"response_format": warm_model()}} if mode == STRUCTURED else {}
    agent = OpenAIChatClient(model="gpt-5").as_agent(
        tools=[] if mode == STRUCTURED else [get_weather]
    )

    async def run() -> str:
        if mode == STREAM:
            return str(await agent.run(QUESTION, stream=True).get_final_response())
        asked = STRUCTURED_QUESTION if mode == STRUCTURED else QUESTION
        return str(await agent.run(asked, **form))

    return asyncio.run(run())


@client("strands-openai", "chat", "strands-agents[openai]", part="`OpenAIModel`")
def strands_openai(mode: str) -> str:
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    model = OpenAIModel(model_id="gpt-4o")
    if mode == STRUCTURED:
        agent = Agent(model, callback_handler=None)
        reply = agent(STRUCTURED_QUESTION, structured_output_model=warm_model())
        return str(reply.structured_output.model_dump_json())
    agent = Agent(model, tools=[tool(get_weather)], callback_handler=None)
    return str(agent(QUESTION)).strip()


@client(
    "agno", "chat", "agno", "openai", part="`OpenAIChat`", environment={"AGNO_TELEMETRY": "false"}
)
def agno(mode: str) -> str:
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    model = OpenAIChat(id="gpt-4o")
    if mode == STRUCTURED:
        reply = Agent(model=model, output_schema=warm_model()).run(STRUCTURED_QUESTION)
        return str(reply.content.model_dump_json())
    agent = Agent(model=model, tools=[get_weather])
    if mode == STREAM:
        return "".join(piece.content or "" for piece in agent.run(QUESTION, stream=True))
    return str(agent.run(QUESTION).content)


@client(
    "mem0",
    "chat",
    "mem0ai",
    modes=(EMBEDDINGS,),
    environment={"MEM0_TELEMETRY": "False"},
)
def mem0(mode: str) -> str:
    from mem0 import Memory

    assert mode == EMBEDDINGS
    with tempfile.TemporaryDirectory() as folder:
        # It refuses embeddings that have not the size of the model's.
        store = {"provider": "qdrant", "config": {"path": folder}}
        memory = Memory.from_config({"vector_store": store})
        memory.add(QUESTION, user_id="me", infer=False)
        memories = memory.search(QUESTION, filters={"user_id": "me"})["results"]
        memory.close()
    return str(memories[0]["memory"])


@client("aisuite", "chat", "aisuite[openai]", "openai", modes=(TOOLS,))
def aisuite(_: str) -> str:
    import aisuite

    messages = [{"role": "user", "content": QUESTION}]
    completions = aisuite.Client().chat.completions
    reply = completions.create(
        model="openai:gpt-4o", messages=messages, tools=[get_weather], max_turns=5
    )
    return str(reply.choices[0].message.content)


def any_llm(provider: str, mode: str) -> str:
    import json

    from any_llm import completion

    from tests.clients.agents.weather import DESCRIPTION, SCHEMA

    if mode == STRUCTURED:
        asked: list[Any] = [{"role": "user", "content": STRUCTURED_QUESTION}]
        reply: Any = completion("m", asked, provider=provider, response_format=warm_model())
        return str(reply.choices[0].message.content)
    function = {"name": "get_weather", "description": DESCRIPTION, "parameters": SCHEMA}
    tools: list[Any] = [{"type": "function", "function": function}]
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        reply = completion("m", messages, provider=provider, tools=tools)
        message = reply.choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


@client("any-llm", "chat", "any-llm-sdk", part="`openai`", modes=(TOOLS, STRUCTURED))
def any_llm_openai(mode: str) -> str:
    return any_llm("openai", mode)


@client(
    "any-llm-mistral",
    "chat",
    "any-llm-sdk[mistral]",
    part="`mistral`",
    modes=(TOOLS, STRUCTURED),
)
def any_llm_mistral(mode: str) -> str:
    return any_llm("mistral", mode)


def chatlas(chat: Any, mode: str) -> str:
    if mode == STRUCTURED:
        answer = chat.chat_structured(STRUCTURED_QUESTION, data_model=warm_model())
        return str(answer.model_dump_json())
    chat.register_tool(get_weather)
    if mode == STREAM:
        for _ in chat.stream(QUESTION):
            pass
        return str(chat.get_last_turn().text)
    return str(chat.chat(QUESTION, echo="none", stream=False)).strip().splitlines()[-1]


@client(
    "chatlas-openai",
    "responses",
    "chatlas[openai]",
    part="`ChatOpenAI`",
    needs='`ChatOpenAI(base_url=os.environ["OPENAI_BASE_URL"])`',
)
def chatlas_openai(mode: str) -> str:
    from chatlas import ChatOpenAI

    return chatlas(ChatOpenAI(base_url=os.environ["OPENAI_BASE_URL"]), mode)


@client("chatlas-anthropic", "messages", "chatlas[anthropic]", part="`ChatAnthropic`")
def chatlas_anthropic(mode: str) -> str:
    from chatlas import ChatAnthropic

    return chatlas(ChatAnthropic(), mode)


@client("chatlas-google", "gemini", "chatlas[google]", part="`ChatGoogle`")
def chatlas_google(mode: str) -> str:
    from chatlas import ChatGoogle

    return chatlas(ChatGoogle(), mode)


def mirascope(model: str, mode: str) -> str:
    from mirascope import llm

    if mode == STRUCTURED:

        @llm.call(model, format=warm_model())
        def warm() -> str:
            return STRUCTURED_QUESTION

        return str(warm().parse().model_dump_json())

    @llm.call(model, tools=[llm.tool(get_weather)])
    def weather() -> str:
        return QUESTION

    if mode == STREAM:
        streamed = weather.stream()
        streamed.finish()
        while streamed.tool_calls:
            streamed = streamed.resume(streamed.execute_tools())
            streamed.finish()
        return str(streamed.text())
    reply = weather()
    while reply.tool_calls:
        reply = reply.resume(reply.execute_tools())
    return str(reply.text())


@client("mirascope-openai", "responses", "mirascope[openai]", part="`openai/`")
def mirascope_openai(mode: str) -> str:
    return mirascope("openai/gpt-5", mode)


@client("mirascope-anthropic", "messages", "mirascope[anthropic]", part="`anthropic/`")
def mirascope_anthropic(mode: str) -> str:
    return mirascope("anthropic/claude-sonnet-4-5", mode)


@client("outlines", "chat", "outlines[openai]", modes=(STRUCTURED,))
def outlines(_: str) -> str:
    import openai
    import outlines

    model = outlines.from_openai(openai.OpenAI(), "gpt-4o")
    return str(model(STRUCTURED_QUESTION, warm_model()))
