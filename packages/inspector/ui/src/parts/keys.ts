const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** ⌘ on a Mac, Ctrl elsewhere. */
export function isCommand(event: { readonly ctrlKey: boolean; readonly metaKey: boolean }): boolean {
  return MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

/** The label of the key on this machine. */
export function keyName(key: string): string {
  return MAC ? `⌘${key}` : `Ctrl ${key}`;
}
