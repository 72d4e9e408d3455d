import type { LanguageModel } from 'ai';
import type { SampleParams } from 'tenon/client';

/** A model for sampling requests. The numbers, from 0 to 1, are matched with the priorities of the server. Default of each: 0.5. */
export interface OfferedModel {
  /** A language model of the AI SDK. */
  readonly model: LanguageModel;
  /** Its name, which hints are substrings of. Default: the id of the model. */
  readonly name?: string | undefined;
  /** 1 is the cheapest. */
  readonly cost?: number | undefined;
  /** 1 is the fastest. */
  readonly speed?: number | undefined;
  /** 1 is the most capable. */
  readonly intelligence?: number | undefined;
  /** Whether it accepts audio. Only such a model answers a request that contains audio. Default false. */
  readonly audio?: boolean | undefined;
}

export function nameOfModel({ model, name }: OfferedModel): string {
  return name ?? (typeof model === 'string' ? model : model.modelId);
}

const HALF = 0.5;

/** Chooses a model by the hints, in order, then by the priorities; the first model otherwise ("Model Preferences" of sampling). */
export function chooseModel(
  models: readonly [OfferedModel, ...OfferedModel[]],
  {
    hints = [],
    costPriority = 0,
    speedPriority = 0,
    intelligencePriority = 0,
  }: NonNullable<SampleParams['modelPreferences']> = {},
): OfferedModel {
  for (const { name } of hints) {
    const hint = name?.toLowerCase();
    const found = models.find((offered) => hint && nameOfModel(offered).toLowerCase().includes(hint));
    if (found !== undefined) return found;
  }
  const worth = ({ cost = HALF, speed = HALF, intelligence = HALF }: OfferedModel): number =>
    cost * costPriority + speed * speedPriority + intelligence * intelligencePriority;
  return models.reduce((best, offered) => (worth(offered) > worth(best) ? offered : best), models[0]);
}
