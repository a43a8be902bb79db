// `node agents.mjs CLIENT MODE`: asks with one client library as its own quick start uses it, and
// prints the answer. MODE is `tools`: it calls the tool as often as it is told to; `stream`: the
// same, streamed; `structured`: it asks for a JSON object. The library finds the server by the
// environment of `workbench run`; one that reads no variable is given the URL of the server.
// `node agents.mjs` prints all clients, which needs none of their packages.

const QUESTION = process.env.QUESTION;
const NAME = "get_weather";
const DESCRIPTION = "The weather of a city.";
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const WARM_SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "integer" } },
  required: ["city", "celsius"],
  additionalProperties: false,
};
const BEDROCK_MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const getWeather = ({ city }) => `21 C in ${city}`;

const url = process.env.WORKBENCH_URL;
const [chosen, mode] = process.argv.slice(2);
const stream = mode === "stream";
const structured = mode === "structured";

const CLIENTS = [];

// Adds a client: `packages` of npm, the first of which it is called by; `part` of them; `modes`,
// where it has not all; `needs`, what the user writes, if it does not find the server as it comes;
// `intercept`, where it is run with --intercept; `beside`, packages that are installed with it.
function client(name, api, packages, ask, more = {}) {
  const modes = ["tools", "stream", "structured"];
  CLIENTS.push({ name, api, packages, modes, ask, ...more });
}

async function chat(client) {
  const messages = [{ role: "user", content: QUESTION }];
  if (structured) {
    const json_schema = { name: "warm", strict: true, schema: WARM_SCHEMA };
    const response_format = { type: "json_schema", json_schema };
    const asked = { model: "gpt-4o", messages, response_format };
    return (await client.chat.completions.create(asked)).choices[0].message.content;
  }
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
  const { OpenAI } = await import("openai");
  const client = new OpenAI();
  if (structured) {
    const format = { type: "json_schema", name: "warm", strict: true, schema: WARM_SCHEMA };
    const asked = { model: "gpt-5", input: QUESTION, text: { format } };
    return (await client.responses.create(asked)).output_text;
  }
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

async function anthropic(client, model) {
  const messages = [{ role: "user", content: QUESTION }];
  if (structured) {
    const output_config = { format: { type: "json_schema", schema: WARM_SCHEMA } };
    const asked = { model, max_tokens: 99, messages, output_config };
    return (await client.messages.create(asked)).content[0].text;
  }
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
  const { GoogleGenAI } = await import("@google/genai");
  const client = new GoogleGenAI({});
  if (structured) {
    const config = { responseMimeType: "application/json", responseJsonSchema: WARM_SCHEMA };
    const asked = { model: "gemini-2.5-flash", contents: QUESTION, config };
    return (await client.models.generateContent(asked)).text;
  }
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
  const { CohereClientV2 } = await import("cohere-ai");
  const client = new CohereClientV2({ environment: url });
  const model = "command-a-03-2025";
  const messages = [{ role: "user", content: QUESTION }];
  if (structured) {
    const responseFormat = { type: "json_object", jsonSchema: WARM_SCHEMA };
    return (await client.chat({ model, messages, responseFormat })).message.content[0].text;
  }
  const tools = [
    { type: "function", function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  ];
  for (;;) {
    const asked = { model, messages, tools };
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
  const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } = await import(
    "@aws-sdk/client-bedrock-runtime"
  );
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
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
  const { generateText, stepCountIs, streamText, tool } = await import("ai");
  const { z } = await import("zod");
  if (structured) {
    const { Output } = await import("ai");
    const schema = z.object({ city: z.string(), celsius: z.number() });
    const asked = { model, prompt: QUESTION, output: Output.object({ schema }) };
    return JSON.stringify((await generateText(asked)).output);
  }
  const get_weather = tool({
    description: DESCRIPTION,
    inputSchema: z.object({ city: z.string() }),
    execute: getWeather,
  });
  const asked = { model, prompt: QUESTION, tools: { get_weather }, stopWhen: stepCountIs(5) };
  return stream ? await streamText(asked).text : (await generateText(asked)).text;
}

async function ollama() {
  const { Ollama } = await import("ollama");
  const client = new Ollama({ host: process.env.OLLAMA_HOST });
  const messages = [{ role: "user", content: QUESTION }];
  const model = "llama3.2";
  if (structured) {
    return (await client.chat({ model, messages, format: WARM_SCHEMA })).message.content;
  }
  const tools = [
    { type: "function", function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  ];
  for (;;) {
    const asked = { model, messages, tools };
    const message = stream
      ? await wholeOfOllama(await client.chat({ ...asked, stream }))
      : (await client.chat(asked)).message;
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const { function: called } of message.tool_calls) {
      const content = getWeather(called.arguments);
      messages.push({ role: "tool", tool_name: called.name, content });
    }
  }
}

// The message that the parts of a stream make.
async function wholeOfOllama(parts) {
  const message = { role: "assistant", content: "", tool_calls: [] };
  for await (const part of parts) {
    message.content += part.message.content;
    message.tool_calls.push(...(part.message.tool_calls ?? []));
  }
  return message;
}

// A provider of AI SDK, with what makes a model of it.
function ofAiSdk(name, api, provider, model, more) {
  const ask = async () => aiSdk(model(await import(provider)));
  client(`ai-${name}`, api, ["ai", provider], ask, { beside: ["zod"], ...more });
}

const openai = async () => new (await import("openai")).OpenAI();
client("openai", "chat", ["openai"], async () => chat(await openai()));
client("openai-responses", "responses", ["openai"], openaiResponses);
client(
  "azure-openai",
  "chat",
  ["openai"],
  async () => chat(new (await import("openai")).AzureOpenAI({ apiVersion: "2024-10-21" })),
  { part: "`AzureOpenAI`" },
);
client("anthropic", "messages", ["@anthropic-ai/sdk"], async () =>
  anthropic(new (await import("@anthropic-ai/sdk")).Anthropic(), "claude-sonnet-4-6"),
);
client(
  "anthropic-bedrock",
  "messages",
  ["@anthropic-ai/bedrock-sdk"],
  async () => anthropic(new (await import("@anthropic-ai/bedrock-sdk")).default(), BEDROCK_MODEL),
  { modes: ["tools", "stream"] },
);
client(
  "aws-sdk",
  "converse",
  ["@aws-sdk/client-bedrock-runtime"],
  converse,
  {
    beside: ["@smithy/node-http-handler"],
    modes: ["tools", "stream"],
    needs: "`new BedrockRuntimeClient({ requestHandler: new NodeHttpHandler() })`",
  },
);
client("groq", "chat", ["groq-sdk"], async () => chat(new (await import("groq-sdk")).Groq()));
client("together", "chat", ["together-ai"], async () =>
  chat(new (await import("together-ai")).Together()),
);
client("google-genai", "gemini", ["@google/genai"], googleGenai);
client("cohere", "cohere", ["cohere-ai"], cohere, {
  part: "`CohereClientV2`",
  needs: "`new CohereClientV2({ environment: process.env.WORKBENCH_URL })`",
});
client("ollama", "ollama", ["ollama"], ollama, {
  needs: "`new Ollama({ host: process.env.OLLAMA_HOST })`",
});
ofAiSdk("openai", "responses", "@ai-sdk/openai", ({ openai }) => openai("gpt-5"));
ofAiSdk("openai-chat", "chat", "@ai-sdk/openai", ({ openai }) => openai.chat("gpt-4o"), {
  part: "`.chat()`",
});
ofAiSdk("anthropic", "messages", "@ai-sdk/anthropic", ({ anthropic }) =>
  anthropic("claude-sonnet-4-6"),
);
ofAiSdk(
  "ollama",
  "ollama",
  "ai-sdk-ollama",
  ({ createOllama }) => createOllama({ baseURL: process.env.OLLAMA_HOST })("llama3.2"),
  { needs: "`createOllama({ baseURL: process.env.OLLAMA_HOST })`" },
);
ofAiSdk("bedrock", "converse", "@ai-sdk/amazon-bedrock", ({ bedrock }) => bedrock(BEDROCK_MODEL));
// The providers that read no base URL, with the path that theirs ends with.
for (const [name, make, path, model, api = "chat"] of [
  ["cerebras", "createCerebras", "/v1", "llama-3.3-70b"],
  ["cohere", "createCohere", "/v2", "command-a-03-2025", "cohere"],
  ["deepseek", "createDeepSeek", "/v1", "deepseek-chat"],
  ["fireworks", "createFireworks", "/inference/v1", "accounts/fireworks/models/glm-5"],
  ["google", "createGoogleGenerativeAI", "/v1beta", "gemini-2.5-flash", "gemini"],
  ["groq", "createGroq", "/openai/v1", "llama-3.3-70b-versatile"],
  ["mistral", "createMistral", "/v1", "mistral-large-latest"],
  ["togetherai", "createTogetherAI", "/v1", "meta-llama/Llama-3.3-70B-Instruct"],
  ["xai", "createXai", "/v1", "grok-4"],
]) {
  const needs = `\`${make}({ baseURL: process.env.WORKBENCH_URL + "${path}" })\``;
  const at = (provider) => provider[make]({ baseURL: url + path, apiKey: "x" })(model);
  const asItComes = (provider) => provider[name](model);
  ofAiSdk(name, api, `@ai-sdk/${name}`, at, { needs });
  ofAiSdk(`${name}-intercepted`, api, `@ai-sdk/${name}`, asItComes, { intercept: true });
}

async function langchain(model) {
  const { tool } = await import("@langchain/core/tools");
  const { z } = await import("zod");
  if (structured) {
    const schema = z.object({ city: z.string(), celsius: z.number() });
    return JSON.stringify(await model.withStructuredOutput(schema).invoke(QUESTION));
  }
  const schema = z.object({ city: z.string() });
  const weather = tool(getWeather, { name: NAME, description: DESCRIPTION, schema });
  const bound = model.bindTools([weather]);
  const { HumanMessage } = await import("@langchain/core/messages");
  const messages = [new HumanMessage(QUESTION)];
  for (;;) {
    let reply;
    if (stream)
      for await (const chunk of await bound.stream(messages))
        reply = reply ? reply.concat(chunk) : chunk;
    else reply = await bound.invoke(messages);
    if (!reply.tool_calls?.length) return reply.text;
    messages.push(reply);
    for (const call of reply.tool_calls) messages.push(await weather.invoke(call));
  }
}

// A package of LangChain, with what makes a model of it.
function ofLangchain(name, api, provider, model, more) {
  const ask = async () => langchain(model(await import(provider)));
  const beside = ["@langchain/core", "zod"];
  client(`langchain-${name}`, api, [provider], ask, { beside, ...more });
}

ofLangchain("openai", "chat", "@langchain/openai", (m) => new m.ChatOpenAI({ model: "gpt-4o" }));
ofLangchain(
  "openai-responses",
  "responses",
  "@langchain/openai",
  (m) => new m.ChatOpenAI({ model: "gpt-5", useResponsesApi: true }),
  { part: "`useResponsesApi`" },
);
ofLangchain(
  "anthropic",
  "messages",
  "@langchain/anthropic",
  (m) => new m.ChatAnthropic({ model: "claude-sonnet-4-6" }),
);
ofLangchain(
  "google-genai",
  "gemini",
  "@langchain/google-genai",
  (m) => new m.ChatGoogleGenerativeAI({ model: "gemini-2.5-flash" }),
  { intercept: true },
);
ofLangchain(
  "groq",
  "chat",
  "@langchain/groq",
  (m) => new m.ChatGroq({ model: "llama-3.3-70b-versatile" }),
);

async function openaiAgents() {
  const { Agent, run, setTracingDisabled, tool } = await import("@openai/agents");
  const { z } = await import("zod");
  setTracingDisabled(true);
  if (structured) {
    const outputType = z.object({ city: z.string(), celsius: z.number() });
    const agent = new Agent({ name: "warm", model: "gpt-5", outputType });
    return JSON.stringify((await run(agent, QUESTION)).finalOutput);
  }
  const parameters = z.object({ city: z.string() });
  const weather = tool({ name: NAME, description: DESCRIPTION, parameters, execute: getWeather });
  const agent = new Agent({ name: "weather", model: "gpt-5", tools: [weather] });
  const result = await run(agent, QUESTION, { stream });
  if (stream) await result.completed;
  return result.finalOutput;
}

client("openai-agents", "responses", ["@openai/agents"], openaiAgents, { beside: ["zod"] });

async function mastra(model) {
  const { Agent } = await import("@mastra/core/agent");
  const { createTool } = await import("@mastra/core/tools");
  const { z } = await import("zod");
  const asker = { id: "weather", name: "weather", instructions: "Answer.", model };
  if (structured) {
    const schema = z.object({ city: z.string(), celsius: z.number() });
    const reply = await new Agent(asker).generate(QUESTION, { structuredOutput: { schema } });
    return JSON.stringify(reply.object);
  }
  const inputSchema = z.object({ city: z.string() });
  const execute = async (input) => getWeather(input);
  const get_weather = createTool({ id: NAME, description: DESCRIPTION, inputSchema, execute });
  const agent = new Agent({ ...asker, tools: { get_weather } });
  return stream ? await (await agent.stream(QUESTION)).text : (await agent.generate(QUESTION)).text;
}

for (const [api, model, more] of [
  ["responses", "openai/gpt-5"],
  ["messages", "anthropic/claude-sonnet-4-6"],
  ["gemini", "google/gemini-2.5-flash", { intercept: true }],
]) {
  const [provider] = model.split("/");
  const part = `\`${provider}/\``;
  const beside = ["zod"];
  client(`mastra-${provider}`, api, ["@mastra/core"], () => mastra(model), { part, beside, ...more });
}

if (chosen) console.log("\n" + (await CLIENTS.find(({ name }) => name === chosen).ask()));
else console.log(JSON.stringify(CLIENTS));
