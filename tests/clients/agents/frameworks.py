"""Agent frameworks."""

from __future__ import annotations

import os
from typing import Any

from tests.clients.agents.weather import get_weather, warm_model
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, TOOLS, client


def pydantic_ai(model: str, mode: str) -> str:
    from pydantic_ai import Agent

    if mode == STRUCTURED:
        output = Agent(model, output_type=warm_model()).run_sync(STRUCTURED_QUESTION).output
        return str(output.model_dump_json())
    agent = Agent(model, tools=[get_weather])
    if mode == STREAM:
        return str(agent.run_stream_sync(QUESTION).get_output())
    return str(agent.run_sync(QUESTION).output)


@client("pydantic-ai-chat", "chat", "pydantic-ai-slim[openai]", part="`openai-chat:`")
def pydantic_ai_chat(mode: str) -> str:
    return pydantic_ai("openai-chat:gpt-4o", mode)


@client("pydantic-ai-responses", "responses", "pydantic-ai-slim[openai]", part="`openai:`")
def pydantic_ai_responses(mode: str) -> str:
    return pydantic_ai("openai:gpt-5", mode)


@client("pydantic-ai-anthropic", "messages", "pydantic-ai-slim[anthropic]", part="`anthropic:`")
def pydantic_ai_anthropic(mode: str) -> str:
    return pydantic_ai("anthropic:claude-sonnet-5", mode)


@client("pydantic-ai-google", "gemini", "pydantic-ai-slim[google]", part="`google:`")
def pydantic_ai_google(mode: str) -> str:
    return pydantic_ai("google:gemini-2.5-flash", mode)


@client(
    "pydantic-ai-cohere", "cohere", "pydantic-ai-slim[cohere]", part="`cohere:`", modes=(TOOLS,)
)
def pydantic_ai_cohere(mode: str) -> str:
    return pydantic_ai("cohere:command-a-03-2025", mode)


@client("pydantic-ai-bedrock", "converse", "pydantic-ai-slim[bedrock]", part="`bedrock:`")
def pydantic_ai_bedrock(mode: str) -> str:
    return pydantic_ai("bedrock:anthropic.claude-sonnet-5", mode)


@client("pydantic-ai-groq", "chat", "pydantic-ai-slim[groq]", part="`groq:`")
def pydantic_ai_groq(mode: str) -> str:
    return pydantic_ai("groq:llama-3.3-70b-versatile", mode)


def langchain(model: Any, mode: str) -> str:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    if mode == STRUCTURED:
        answer = model.with_structured_output(warm_model()).invoke(STRUCTURED_QUESTION)
        return str(answer.model_dump_json())
    bound = model.bind_tools([tool(get_weather)])
    messages: list[Any] = [HumanMessage(QUESTION)]
    while True:
        if mode == STREAM:
            chunks = list(bound.stream(messages))
            reply = sum(chunks[1:], start=chunks[0])
        else:
            reply = bound.invoke(messages)
        if not reply.tool_calls:
            return str(reply.text)
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**call["args"])
            messages.append(ToolMessage(result, tool_call_id=call["id"]))


@client("langchain-openai", "chat", "langchain-openai")
def langchain_openai(mode: str) -> str:
    from langchain_openai import ChatOpenAI

    return langchain(ChatOpenAI(model="gpt-4o"), mode)


@client("langchain-openai-responses", "responses", "langchain-openai", part="`use_responses_api`")
def langchain_openai_responses(mode: str) -> str:
    from langchain_openai import ChatOpenAI

    return langchain(ChatOpenAI(model="gpt-5", use_responses_api=True), mode)


@client("langchain-azure", "chat", "langchain-openai", part="`AzureChatOpenAI`")
def langchain_azure(mode: str) -> str:
    from langchain_openai import AzureChatOpenAI

    return langchain(AzureChatOpenAI(azure_deployment="gpt-4o", api_version="2024-10-21"), mode)


@client("langchain-anthropic", "messages", "langchain-anthropic")
def langchain_anthropic(mode: str) -> str:
    from langchain_anthropic import ChatAnthropic

    return langchain(ChatAnthropic(model="claude-sonnet-5"), mode)


@client("langchain-google-genai", "gemini", "langchain-google-genai")
def langchain_google_genai(mode: str) -> str:
    from langchain_google_genai import ChatGoogleGenerativeAI

    return langchain(ChatGoogleGenerativeAI(model="gemini-2.5-flash"), mode)


@client("langchain-groq", "chat", "langchain-groq")
def langchain_groq(mode: str) -> str:
    from langchain_groq import ChatGroq

    return langchain(ChatGroq(model="llama-3.3-70b-versatile"), mode)


@client(
    "langchain-cohere",
    "cohere",
    "langchain-cohere",
    # Its streams have the pieces of a call as calls of their own.
    modes=(TOOLS, STRUCTURED),
    needs='`ChatCohere(base_url=os.environ["WORKBENCH_URL"])`',
)
def langchain_cohere(mode: str) -> str:
    from langchain_cohere import ChatCohere

    url = os.environ["WORKBENCH_URL"]
    return langchain(ChatCohere(model="command-a-03-2025", base_url=url), mode)


@client("langchain-cerebras", "chat", "langchain-cerebras")
def langchain_cerebras(mode: str) -> str:
    from langchain_cerebras import ChatCerebras

    return langchain(ChatCerebras(model="llama-3.3-70b"), mode)


@client("langchain-deepseek", "chat", "langchain-deepseek")
def langchain_deepseek(mode: str) -> str:
    from langchain_deepseek import ChatDeepSeek

    return langchain(ChatDeepSeek(model="deepseek-chat"), mode)


@client("langchain-fireworks", "chat", "langchain-fireworks")
def langchain_fireworks(mode: str) -> str:
    from langchain_fireworks import ChatFireworks

    return langchain(ChatFireworks(model="accounts/fireworks/models/kimi-k2p5"), mode)


@client("langchain-mistralai", "chat", "langchain-mistralai")
def langchain_mistralai(mode: str) -> str:
    from langchain_mistralai import ChatMistralAI

    return langchain(ChatMistralAI(model="mistral-large-latest"), mode)


@client("langchain-openrouter", "chat", "langchain-openrouter")
def langchain_openrouter(mode: str) -> str:
    from langchain_openrouter import ChatOpenRouter

    return langchain(ChatOpenRouter(model="anthropic/claude-sonnet-5"), mode)


@client("langchain-perplexity", "chat", "langchain-perplexity", modes=(STRUCTURED,))
def langchain_perplexity(mode: str) -> str:
    from langchain_perplexity import ChatPerplexity

    return langchain(ChatPerplexity(model="sonar"), mode)


@client("langchain-together", "chat", "langchain-together")
def langchain_together(mode: str) -> str:
    from langchain_together import ChatTogether

    return langchain(ChatTogether(model="meta-llama/Llama-3.3-70B-Instruct-Turbo"), mode)


@client("langchain-xai", "chat", "langchain-xai")
def langchain_xai(mode: str) -> str:
    from langchain_xai import ChatXAI

    return langchain(ChatXAI(model="grok-4"), mode)


def openai_agents(model: Any, mode: str) -> str:
    import asyncio

    from agents import Agent, Runner, function_tool, set_tracing_disabled

    set_tracing_disabled(True)
    if mode == STRUCTURED:
        warm: Any = Agent(name="warm", model=model, output_type=warm_model())
        output: Any = Runner.run_sync(warm, STRUCTURED_QUESTION).final_output
        return str(output.model_dump_json())
    agent: Any = Agent(name="weather", model=model, tools=[function_tool(get_weather)])
    if mode != STREAM:
        return str(Runner.run_sync(agent, QUESTION).final_output)

    async def streamed() -> str:
        result = Runner.run_streamed(agent, QUESTION)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    return asyncio.run(streamed())


@client("openai-agents", "responses", "openai-agents")
def openai_agents_responses(mode: str) -> str:
    return openai_agents("gpt-5", mode)


@client("openai-agents-chat", "chat", "openai-agents", part="`OpenAIChatCompletionsModel`")
def openai_agents_chat(mode: str) -> str:
    from agents import OpenAIChatCompletionsModel
    from openai import AsyncOpenAI

    return openai_agents(OpenAIChatCompletionsModel("gpt-4o", AsyncOpenAI()), mode)
