/** The parts that need Node: serving over stdio and on a port, starting commands, byte streams as channels. */
export { serveStdio } from '../transport/stdio/serve-stdio.ts';
export type { StdioOptions } from '../transport/stdio/serve-stdio.ts';
export { streamChannel } from '../transport/stdio/stream-channel.ts';
export { spawnChannel } from '../transport/stdio/spawn.ts';
export type { Command, SpawnedChannel } from '../transport/stdio/spawn.ts';
export type { ProcessExit } from '../transport/stdio/spawn-errors.ts';
export { ProcessExitError, SpawnError } from '../transport/stdio/spawn-errors.ts';
export type { ErrorCode } from '../protocol/error-codes.ts';
export { serveHttp } from '../transport/http/node/serve-http-lazily.ts';
export { anonymous } from '../protocol/auth.ts';
export type { ServedHttp, ServeHttpOptions } from '../transport/http/node/serve-http.ts';
export { keysInFile } from '../store/node/key-file-lazily.ts';
export type { KeyFile, KeyFileOptions } from '../store/node/key-file.ts';
