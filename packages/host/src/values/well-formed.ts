/** Replaces lone surrogates: providers reject a whole request that contains one. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
