import process from 'node:process';
import { serveHttp } from 'tenon/node';
import app from './server.ts';

const { PORT = '3000', HOST = '127.0.0.1', ALLOWED_HOSTS } = process.env;

const { url } = await serveHttp(app, {
  port: Number(PORT),
  host: HOST,
  // A container has to listen on every interface. Then the names that clients use for the server are required.
  expose: HOST === '0.0.0.0',
  allowedHosts: ALLOWED_HOSTS?.split(','),
});
console.log(`Serving my-server at ${url}`);
