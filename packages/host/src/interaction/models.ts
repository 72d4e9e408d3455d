import type { LanguageModel } from 'ai';
import type { SampleParams } from 'tenon/client';

/** A model that servers may be given. The numbers, from 0 to 1, are for servers that say what matters to them. */
export interface OfferedModel {
  readonly model: LanguageModel;
  /** What it is called; hints are parts of it. Default: its own id. */
  readonly name?: string;
  /** 1 is the cheapest. */
  readonly cost?: number;
  /** 1 is the fastest. */
  readonly speed?: number;
  readonly intelligence?: number;
}

export const nameOfModel = ({ model, name }: OfferedModel): string =>
  name ?? (typeof model === 'string' ? model : model.modelId);

const HALF = 0.5;

/** Chooses by hints, in order, then by priorities; else the first ("Model Preferences" of sampling). */
export const chooseModel = (
  models: readonly [OfferedModel, ...OfferedModel[]],
  {
    hints = [],
    costPriority = 0,
    speedPriority = 0,
    intelligencePriority = 0,
  }: NonNullable<SampleParams['modelPreferences']> = {},
): OfferedModel => {
  for (const { name } of hints) {
    const wanted = name?.toLowerCase();
    const found = models.find((offered) => wanted && nameOfModel(offered).toLowerCase().includes(wanted));
    if (found !== undefined) return found;
  }
  const worth = ({ cost = HALF, speed = HALF, intelligence = HALF }: OfferedModel): number =>
    cost * costPriority + speed * speedPriority + intelligence * intelligencePriority;
  return models.reduce((best, offered) => (worth(offered) > worth(best) ? offered : best), models[0]);
};
