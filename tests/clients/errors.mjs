// `node errors.mjs URL SECONDS < CASES`: sends one request for each case, all at once, and prints
// what the application sees of each: `{"number": 1, "outcome": "RateLimitError 429"}` a line.
// SECONDS is the time-out that is sent along by clients that can. `retries` is null for the
// default of the client. Of a `helper`, the client puts the stream together.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createCohere } from "@ai-sdk/cohere";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText, streamText } from "ai";
import { CohereClientV2 } from "cohere-ai";
import { readFileSync } from "node:fs";
import OpenAI from "openai";

const [url, seconds] = process.argv.slice(2);
const timeout = Number(seconds) * 1000;
const apiKey = "test";

async function openaiChat({ question, mode, maxRetries }) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  const asked = { model: "gpt-4o", messages: [{ role: "user", content: question }] };
  const options = { timeout, maxRetries };
  const { completions } = client.chat;
  if (mode === "helper")
    return (await completions.stream(asked, options).finalChatCompletion()).choices[0].message;
  const reply = await completions.create({ ...asked, stream: mode === "stream" }, options);
  if (mode === "plain") return reply.choices[0].message.content;
  let text = "";
  for await (const chunk of reply) text += chunk.choices[0]?.delta?.content ?? "";
  return text;
}

async function openaiResponses({ question, mode, maxRetries }) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  const asked = { model: "gpt-5", input: question };
  const options = { timeout, maxRetries };
  const { responses } = client;
  if (mode === "helper") return (await responses.stream(asked, options).finalResponse()).output;
  const reply = await responses.create({ ...asked, stream: mode === "stream" }, options);
  if (mode === "plain") return reply.output_text;
  let text = "";
  for await (const event of reply) text += event.delta ?? "";
  return text;
}

async function anthropic({ question, mode, maxRetries }) {
  const client = new Anthropic({ baseURL: url, apiKey });
  const messages = [{ role: "user", content: question }];
  const asked = { model: "claude-sonnet-4-6", max_tokens: 99, messages };
  const options = { timeout, maxRetries };
  if (mode === "helper") return (await client.messages.stream(asked, options).finalMessage()).content;
  const reply = await client.messages.create({ ...asked, stream: mode === "stream" }, options);
  if (mode === "plain") return reply.content[0].text;
  let text = "";
  for await (const event of reply) text += event.delta?.text ?? "";
  return text;
}

async function googleGenai({ question, mode, maxRetries }) {
  const retryOptions = maxRetries === undefined ? undefined : { attempts: maxRetries + 1 };
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, timeout, retryOptions } });
  const asked = { model: "gemini-2.5-flash", contents: question };
  if (mode === "plain") return (await client.models.generateContent(asked)).text;
  let text = "";
  for await (const chunk of await client.models.generateContentStream(asked)) text += chunk.text;
  return text;
}

async function cohere({ question, mode, maxRetries }) {
  const client = new CohereClientV2({ environment: url, token: apiKey });
  const messages = [{ role: "user", content: question }];
  const asked = { model: "command-a-03-2025", messages };
  const options = { timeoutInSeconds: Number(seconds), maxRetries };
  if (mode === "plain") return (await client.chat(asked, options)).message.content[0].text;
  let text = "";
  for await (const event of await client.chatStream(asked, options))
    text += event.delta?.message?.content?.text ?? "";
  return text;
}

const aiSdk = (model) => async ({ question, mode, maxRetries }) => {
  const asked = { model, prompt: question, maxRetries };
  if (mode === "plain") return (await generateText(asked)).text;
  if (mode === "helper") return await streamText({ ...asked, onError: () => {} }).text;
  let failure;
  const reply = streamText({ ...asked, onError: ({ error }) => (failure ??= error) });
  let text = "";
  for await (const piece of reply.textStream) text += piece;
  if (failure) throw failure;
  return text;
};

const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const claude = createAnthropic({ baseURL: `${url}/v1`, apiKey });
const command = createCohere({ baseURL: `${url}/v2`, apiKey });
const google = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey });
const CLIENTS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  cohere,
  "google-genai": googleGenai,
  "ai-openai-chat": aiSdk(openai.chat("gpt-4o")),
  "ai-openai": aiSdk(openai("gpt-5")),
  "ai-anthropic": aiSdk(claude("claude-sonnet-4-6")),
  "ai-cohere": aiSdk(command("command-a-03-2025")),
  "ai-google": aiSdk(google("gemini-2.5-flash")),
};

async function tried({ number, client, question, mode, retries }) {
  let outcome;
  try {
    const asked = { question, mode, maxRetries: retries ?? undefined };
    outcome = `success: ${JSON.stringify(await CLIENTS[client](asked))}`;
  } catch (error) {
    const last = error.lastError ?? error;
    const name = last.constructor.name === "Object" ? last.type : last.constructor.name;
    const status = last.status ?? last.statusCode ?? "";
    outcome = `${name} ${status}`.trim();
    if (!status) outcome += ` (${String(last.message).slice(0, 40)})`;
  }
  console.log(JSON.stringify({ number, outcome }));
}

await Promise.all(JSON.parse(readFileSync(0, "utf8")).map(tried));
