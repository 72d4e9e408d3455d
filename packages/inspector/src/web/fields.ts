import { badRequest } from './refusal.ts';

/** The members of a body that was read. */
export type Fields = ReadonlyMap<string, unknown>;

/** Names, ids and the like, in characters. */
const SHORT = 1_000;
/** URIs. */
export const LONG = 10_000;

/** A member that must be a text, with not more than `most` characters. */
export const textOf = (fields: Fields, name: string, most = SHORT): string => {
  const value = fields.get(name);
  if (typeof value !== 'string') throw badRequest(`${name} must be a text`);
  if (value.length > most) throw badRequest(`${name} must not have more than ${most} characters`);
  return value;
};

/** The same, where it may be missing. */
export const maybeTextOf = (fields: Fields, name: string, most = SHORT): string | undefined =>
  fields.get(name) === undefined ? undefined : textOf(fields, name, most);

/** A member that must be a whole number within bounds. */
export const wholeOf = (fields: Fields, name: string, least: number, most: number): number => {
  const value = fields.get(name);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw badRequest(`${name} must be a whole number from ${least} to ${most}`);
  return value;
};

export const flagOf = (fields: Fields, name: string): boolean => {
  const value = fields.get(name);
  if (typeof value !== 'boolean') throw badRequest(`${name} must be true or false`);
  return value;
};

/** A member that must be one of a few names. */
export const choiceOf = <T extends string>(fields: Fields, name: string, choices: readonly T[]): T => {
  const found = choices.find((choice) => choice === fields.get(name));
  if (found === undefined) throw badRequest(`${name} must be one of ${choices.join(', ')}`);
  return found;
};

/** A member that must be a list of texts. */
export const textsOf = (fields: Fields, name: string, most: number): readonly string[] => {
  const value = fields.get(name);
  if (!Array.isArray(value) || value.length > most) throw badRequest(`${name} must be a list of at most ${most} texts`);
  return value.map((text: unknown) => textOf(new Map([[name, text]]), name, LONG));
};

/** A member that must be an object. */
export const objectOf = (fields: Fields, name: string): Fields => {
  const value = fields.get(name);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(`${name} must be an object`);
  return new Map(Object.entries(value));
};

/** A whole number of the query of an address, or what is taken where it is missing. */
export const numberOfQuery = (query: URLSearchParams, name: string, otherwise: number): number => {
  const text = query.get(name);
  if (text === null || text === '') return otherwise;
  const value = Number(text);
  if (!/^-?\d{1,15}(?:\.\d{1,6})?$/.test(text)) throw badRequest(`${name} must be a number`);
  return value;
};
