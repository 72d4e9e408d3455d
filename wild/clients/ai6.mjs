// The AI SDK 6 with @ai-sdk/mcp 1.
import { generateText, stepCountIs } from 'ai6';
import { MockLanguageModelV3 } from 'ai6/test';
import { createMCPClient } from 'ai6-mcp';
import { Experimental_StdioMCPTransport } from 'ai6-mcp/mcp-stdio';
import { session } from './ai-session.mjs';

await session(createMCPClient, Experimental_StdioMCPTransport, {
  generateText,
  stepCountIs,
  Model: MockLanguageModelV3,
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  finishReason: (type) => ({ unified: type === 'tool-call' ? 'tool-calls' : 'stop', raw: undefined }),
});
