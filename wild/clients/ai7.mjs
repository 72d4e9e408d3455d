// The AI SDK 7 with @ai-sdk/mcp 2.
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { session } from './ai-session.mjs';

await session(createMCPClient, Experimental_StdioMCPTransport, {
  generateText,
  stepCountIs,
  Model: MockLanguageModelV4,
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  finishReason: (type) => ({ unified: type === 'tool-call' ? 'tool-calls' : 'stop', raw: undefined }),
});
