import type { LanguageModel } from 'ai';

/** The content that a model accepts in addition to text. */
export interface ModelTraits {
  /** Where images of tool results are put: in the result, in a user message after it, or nowhere. */
  readonly resultImages: 'result' | 'message' | 'none';
  /** Media types that can be attached as files. */
  readonly files: readonly string[];
}

const FULL: ModelTraits = { resultImages: 'result', files: ['application/pdf'] };
/** Chat Completions accepts only text in tool results. */
const CHAT: ModelTraits = { resultImages: 'message', files: ['application/pdf'] };
/** An unknown provider. An image that it cannot read would end the conversation with an error. */
const UNKNOWN: ModelTraits = { resultImages: 'none', files: [] };

const WITH_IMAGES = /^(?:anthropic|google|gateway|amazon-bedrock|vertex|openai\.responses|azure\.responses)/;
const CHATS = /^(?:openai|azure|azure-openai)\.chat$/;

/** The traits of a model according to its provider, overridden by `modelTraits`. */
export function traitsOf(model: LanguageModel, modelTraits: Partial<ModelTraits> = {}): ModelTraits {
  const provider = typeof model === 'string' ? 'gateway' : model.provider;
  const known = WITH_IMAGES.test(provider) ? FULL : CHATS.test(provider) ? CHAT : UNKNOWN;
  return { ...known, ...modelTraits };
}
