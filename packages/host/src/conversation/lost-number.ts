const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The first number of a JSON text that JavaScript cannot represent: an integer that is too large to be exact, or a number that overflows.
 */
export function lostNumber(json: string): string | undefined {
  for (const [token] of json.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value))) return token.slice(0, 60);
  }
  return undefined;
}

/** Tells the model that a number cannot be represented. */
export function cannotKeep(number: string): string {
  return `The number ${number} is too large to be passed on exactly. Pass it as a string if the tool allows that, or use another number.`;
}
