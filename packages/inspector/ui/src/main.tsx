import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startTheme } from './app/theme.ts';
import { goLive } from './store/live.ts';

startTheme();
createRoot(document.querySelector('#root')!).render(<App />);
void goLive();
