// The hints of tools that use a web API.

export const READS = { readOnly: true, openWorld: true } as const;
export const ADDS = { readOnly: false, destructive: false, idempotent: false, openWorld: true } as const;
export const CHANGES = { readOnly: false, destructive: true, idempotent: true, openWorld: true } as const;
