/** Replaces halves of surrogate pairs, which providers refuse a whole request for. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
