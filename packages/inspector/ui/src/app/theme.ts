import { createStore, useStore } from '../store/store.ts';

/** `auto`: the setting of the operating system. */
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'theme';
const theme = createStore<Theme>('auto');

function isTheme(text: string | null): text is Theme {
  return text === 'auto' || text === 'light' || text === 'dark';
}

function show(value: Theme): void {
  if (value === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
}

/** Applies the saved theme. */
export function startTheme(): void {
  const kept = localStorage.getItem(KEY);
  if (isTheme(kept)) theme.set(kept);
  show(theme.get());
}

export function setTheme(value: Theme): void {
  theme.set(value);
  localStorage.setItem(KEY, value);
  show(value);
}

export function useTheme(): Theme {
  return useStore(theme, (value) => value);
}
