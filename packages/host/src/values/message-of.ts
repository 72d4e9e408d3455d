/** What a thing that was thrown says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
