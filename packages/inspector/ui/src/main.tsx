import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startTheme } from './app/theme.ts';
import { goLive } from './store/live.ts';

startTheme();
// What is caught has been shown where it happened.
createRoot(document.querySelector('#root')!, { onCaughtError: () => {} }).render(<App />);
void goLive();
