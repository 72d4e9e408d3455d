import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startTheme } from './app/theme.ts';
import { goLive } from './store/live.ts';

startTheme();
// Caught errors have already been shown by a boundary.
createRoot(document.querySelector('#root')!, { onCaughtError: () => {} }).render(<App />);
void goLive();
