// Serves the recorded server of a build on stdin and stdout: `stdio-server.ts <folder of the build> <profile>`.
import { makeApp } from './app.ts';
import { loadStdioBuild } from './build.ts';
import { optionsOf, type ProfileName } from './profiles.ts';
import { warmUp } from './warm-up.ts';

const [folder = '', profile = 'plain'] = process.argv.slice(2);
const build = await loadStdioBuild(folder);
await warmUp(build);
await build.node.serveStdio(makeApp(build), optionsOf(build, profile as ProfileName));
