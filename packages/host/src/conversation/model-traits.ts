import type { LanguageModel } from 'ai';

/** What a model takes beyond text. */
export interface ModelTraits {
  /** Where images of tool results go: into the result, into a user message after it, or nowhere. */
  readonly resultImages: 'result' | 'message' | 'none';
  /** Media types that can be attached as files. */
  readonly files: readonly string[];
}

const WHOLE: ModelTraits = { resultImages: 'result', files: ['application/pdf'] };
/** Chat Completions takes text only as the result of a tool. */
const CHAT: ModelTraits = { resultImages: 'message', files: ['application/pdf'] };
/** Nobody knows what is behind it. An image that it cannot read would end the conversation with an error. */
const UNKNOWN: ModelTraits = { resultImages: 'none', files: [] };

const WITH_IMAGES = /^(?:anthropic|google|gateway|amazon-bedrock|vertex|openai\.responses|azure\.responses)/;
const CHATS = /^(?:openai|azure|azure-openai)\.chat$/;

/** What a model takes, as far as its provider tells. */
export const traitsOf = (model: LanguageModel, takes: Partial<ModelTraits> = {}): ModelTraits => {
  const provider = typeof model === 'string' ? 'gateway' : model.provider;
  const known = WITH_IMAGES.test(provider) ? WHOLE : CHATS.test(provider) ? CHAT : UNKNOWN;
  return { ...known, ...takes };
};
