/** Replaces lone surrogates: providers reject a whole request that contains one. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
