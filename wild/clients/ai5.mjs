// The AI SDK 5 with @ai-sdk/mcp 0.
import { generateText, stepCountIs } from 'ai5';
import { MockLanguageModelV2 } from 'ai5/test';
import { experimental_createMCPClient as createMCPClient } from 'ai5-mcp';
import { Experimental_StdioMCPTransport } from 'ai5-mcp/mcp-stdio';
import { session } from './ai-session.mjs';

await session(createMCPClient, Experimental_StdioMCPTransport, {
  generateText,
  stepCountIs,
  Model: MockLanguageModelV2,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  finishReason: (type) => (type === 'tool-call' ? 'tool-calls' : 'stop'),
});
