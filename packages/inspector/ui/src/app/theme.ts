import { createStore, useStore } from '../store/store.ts';

/** `auto`: as the system has it. */
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'theme';
const theme = createStore<Theme>('auto');

const isTheme = (text: string | null): text is Theme => text === 'auto' || text === 'light' || text === 'dark';

const show = (value: Theme): void => {
  if (value === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
};

/** Shows what was chosen before. */
export const startTheme = (): void => {
  const kept = localStorage.getItem(KEY);
  if (isTheme(kept)) theme.set(kept);
  show(theme.get());
};

export const setTheme = (value: Theme): void => {
  theme.set(value);
  localStorage.setItem(KEY, value);
  show(value);
};

export const useTheme = (): Theme => useStore(theme, (value) => value);
