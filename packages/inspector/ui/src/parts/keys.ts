const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** ⌘ on a Mac, Ctrl elsewhere. */
export const isCommand = (event: { readonly ctrlKey: boolean; readonly metaKey: boolean }): boolean =>
  MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;

/** How the key is written on this machine. */
export const keyName = (key: string): string => (MAC ? `⌘${key}` : `Ctrl ${key}`);
