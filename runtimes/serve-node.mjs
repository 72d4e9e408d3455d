import { serveHttp } from 'tenon/node';
import { app } from './app.mjs';

const { url } = await serveHttp(app, {
  port: 0,
  allowedHosts: ['127.0.0.1', 'localhost'],
  allowedOrigins: process.argv.slice(2),
});
console.log(url);
