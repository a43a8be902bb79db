// `node agents.mjs AGENT URL plain|stream`: asks a question with one client library as it comes,
// calls the tool as often as it is told to, and prints the answer. The library finds the server by
// the environment of `workbench run`; one that reads no variable is given the URL of the server.

import { bedrock } from "@ai-sdk/amazon-bedrock";
import { anthropic as aiAnthropic } from "@ai-sdk/anthropic";
import { createCohere } from "@ai-sdk/cohere";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { openai as aiOpenAI } from "@ai-sdk/openai";
import AnthropicBedrock from "@anthropic-ai/bedrock-sdk";
import Anthropic from "@anthropic-ai/sdk";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { CohereClientV2 } from "cohere-ai";
import Groq from "groq-sdk";
import OpenAI, { AzureOpenAI } from "openai";
import Together from "together-ai";
import { z } from "zod";

const QUESTION = "What is the weather in Rome and in Oslo?";
const NAME = "get_weather";
const DESCRIPTION = "The weather of a city.";
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const getWeather = ({ city }) => `21 C in ${city}`;

const [agent, url, mode] = process.argv.slice(2);
const stream = mode === "stream";
const apiKey = "test";
const maxRetries = 0;
const BEDROCK_MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

async function chat(client) {
  const messages = [{ role: "user", content: QUESTION }];
  const tools = [
    { type: "function", function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  ];
  for (;;) {
    const asked = { model: "gpt-4o", messages, tools };
    const message = stream
      ? await whole(await client.chat.completions.create({ ...asked, stream }))
      : (await client.chat.completions.create(asked)).choices[0].message;
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const call of message.tool_calls) {
      const content = getWeather(JSON.parse(call.function.arguments));
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }
}

// The message that the chunks of a stream make.
async function whole(chunks) {
  const message = { role: "assistant", content: "", tool_calls: [] };
  for await (const { choices } of chunks)
    for (const { delta } of choices) {
      message.content += delta.content ?? "";
      for (const { index, id, function: piece } of delta.tool_calls ?? []) {
        const empty = { id, type: "function", function: { name: "", arguments: "" } };
        const call = (message.tool_calls[index] ??= empty).function;
        call.name ||= piece.name ?? "";
        call.arguments += piece.arguments ?? "";
      }
    }
  if (!message.tool_calls.length) delete message.tool_calls;
  return message;
}

async function openaiResponses() {
  const client = new OpenAI({ maxRetries });
  const input = [{ role: "user", content: QUESTION }];
  const tools = [
    { type: "function", name: NAME, description: DESCRIPTION, parameters: SCHEMA, strict: false },
  ];
  for (;;) {
    const asked = { model: "gpt-5", input, tools };
    const response = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (!calls.length) return response.output_text;
    input.push(...response.output);
    for (const call of calls) {
      const output = getWeather(JSON.parse(call.arguments));
      input.push({ type: "function_call_output", call_id: call.call_id, output });
    }
  }
}

async function anthropic(client, model = "claude-sonnet-4-6") {
  const messages = [{ role: "user", content: QUESTION }];
  const tools = [{ name: NAME, description: DESCRIPTION, input_schema: SCHEMA }];
  for (;;) {
    const asked = { model, max_tokens: 99, messages, tools };
    const message = stream
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (!calls.length) return message.content[0].text;
    const content = calls.map((call) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: getWeather(call.input),
    }));
    messages.push({ role: "assistant", content: message.content }, { role: "user", content });
  }
}

async function googleGenai() {
  const client = new GoogleGenAI({});
  const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
  const declaration = { name: NAME, description: DESCRIPTION, parametersJsonSchema: SCHEMA };
  const config = { tools: [{ functionDeclarations: [declaration] }] };
  for (;;) {
    const asked = { model: "gemini-2.5-flash", contents, config };
    const parts = [];
    if (stream) {
      for await (const chunk of await client.models.generateContentStream(asked))
        parts.push(...(chunk.candidates[0].content?.parts ?? []));
    } else {
      parts.push(...(await client.models.generateContent(asked)).candidates[0].content.parts);
    }
    const calls = parts.flatMap((part) => part.functionCall ?? []);
    if (!calls.length) return parts.map((part) => part.text ?? "").join("");
    const results = calls.map(({ id, name, args }) => ({
      functionResponse: { id, name, response: { output: getWeather(args) } },
    }));
    contents.push({ role: "model", parts }, { role: "user", parts: results });
  }
}

async function cohere() {
  const client = new CohereClientV2({ environment: url });
  const messages = [{ role: "user", content: QUESTION }];
  const tools = [
    { type: "function", function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  ];
  for (;;) {
    const asked = { model: "command-a-03-2025", messages, tools };
    const message = stream
      ? await ofCohere(await client.chatStream(asked))
      : (await client.chat(asked)).message;
    if (!message.toolCalls?.length) return message.content[0].text;
    messages.push(message);
    for (const call of message.toolCalls) {
      const content = getWeather(JSON.parse(call.function.arguments));
      messages.push({ role: "tool", toolCallId: call.id, content });
    }
  }
}

// The message that the events of Cohere's stream make.
async function ofCohere(events) {
  const message = { role: "assistant", toolPlan: "", toolCalls: [] };
  let text = "";
  for await (const { type, index, delta } of events) {
    if (type === "content-delta") text += delta.message.content.text;
    if (type === "tool-plan-delta") message.toolPlan += delta.message.toolPlan;
    if (type === "tool-call-start") message.toolCalls.push(delta.message.toolCalls);
    if (type === "tool-call-delta")
      message.toolCalls[index].function.arguments += delta.message.toolCalls.function.arguments;
  }
  return message.toolCalls.length
    ? message
    : { role: "assistant", content: [{ type: "text", text }] };
}

async function converse() {
  // Without a handler it asks over HTTP/2.
  const client = new BedrockRuntimeClient({ requestHandler: new NodeHttpHandler() });
  const messages = [{ role: "user", content: [{ text: QUESTION }] }];
  const toolSpec = { name: NAME, description: DESCRIPTION, inputSchema: { json: SCHEMA } };
  for (;;) {
    const asked = { modelId: BEDROCK_MODEL, messages, toolConfig: { tools: [{ toolSpec }] } };
    const content = stream
      ? await blocks((await client.send(new ConverseStreamCommand(asked))).stream)
      : (await client.send(new ConverseCommand(asked))).output.message.content;
    const calls = content.flatMap(({ toolUse }) => toolUse ?? []);
    if (!calls.length) return content[0].text;
    const results = calls.map(({ toolUseId, input }) => ({
      toolResult: { toolUseId, content: [{ text: getWeather(input) }] },
    }));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}

// The content blocks that the events of a stream make.
async function blocks(events) {
  const content = [];
  for await (const { contentBlockStart, contentBlockDelta } of events) {
    if (contentBlockStart) {
      const { toolUse } = contentBlockStart.start;
      content[contentBlockStart.contentBlockIndex] = { toolUse: { ...toolUse, input: "" } };
    }
    if (contentBlockDelta) {
      const { contentBlockIndex, delta } = contentBlockDelta;
      const block = (content[contentBlockIndex] ??= { text: "" });
      if (delta.toolUse) block.toolUse.input += delta.toolUse.input;
      else block.text += delta.text;
    }
  }
  for (const { toolUse } of content) if (toolUse) toolUse.input = JSON.parse(toolUse.input || "{}");
  return content;
}

async function aiSdk(model) {
  const get_weather = tool({
    description: DESCRIPTION,
    inputSchema: z.object({ city: z.string() }),
    execute: getWeather,
  });
  const asked = {
    model,
    prompt: QUESTION,
    tools: { get_weather },
    stopWhen: stepCountIs(5),
    maxRetries,
  };
  return stream ? await streamText(asked).text : (await generateText(asked)).text;
}

const AGENTS = {
  "openai-chat": () => chat(new OpenAI({ maxRetries })),
  "openai-responses": openaiResponses,
  "azure-openai": () => chat(new AzureOpenAI({ apiVersion: "2024-10-21", maxRetries })),
  cohere,
  anthropic: () => anthropic(new Anthropic({ maxRetries })),
  "anthropic-bedrock": () => anthropic(new AnthropicBedrock({ maxRetries }), BEDROCK_MODEL),
  "aws-sdk": converse,
  groq: () => chat(new Groq({ maxRetries })),
  together: () => chat(new Together({ maxRetries })),
  "google-genai": googleGenai,
  "ai-openai-chat": () => aiSdk(aiOpenAI.chat("gpt-4o")),
  "ai-openai": () => aiSdk(aiOpenAI("gpt-5")),
  "ai-anthropic": () => aiSdk(aiAnthropic("claude-sonnet-4-6")),
  "ai-bedrock": () => aiSdk(bedrock(BEDROCK_MODEL)),
  "ai-google": () =>
    aiSdk(createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-flash")),
  "ai-cohere": () => aiSdk(createCohere({ baseURL: `${url}/v2` })("command-a-03-2025")),
  "ai-groq": () => aiSdk(createGroq({ baseURL: `${url}/openai/v1` })("llama-3.3-70b-versatile")),
  "ai-mistral": () => aiSdk(createMistral({ baseURL: `${url}/mistral/v1` })("mistral-large")),
};

console.log(await AGENTS[agent]());
