// Measures the CPU time of the HTTP layer per POST /v1/ledger-ops/send. Auth is real, actions do nothing, and
// the client runs in another process.
import { spawn } from 'node:child_process';
import { listen } from '../src/http/sockets/listen.ts';
import { makeServer, openGround, sendBody } from '../test/stage/harness.ts';

const requests = Number(process.argv[2] ?? 20_000);
const client = `
import http from 'node:http';
const [port, count, headers, body] = JSON.parse(process.argv[1]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
const one = () => new Promise((resolve, reject) => {
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/ledger-ops/send', agent, headers }, (response) => {
    response.resume();
    response.on('end', () => (response.statusCode === 201 ? resolve() : reject(new Error('status ' + response.statusCode))));
  });
  request.on('error', reject);
  request.end(body);
});
let left = count;
await Promise.all(Array.from({ length: 32 }, async () => { while (left-- > 0) await one(); }));
agent.destroy();
`;

const ground = await openGround();
const { app, runtime } = makeServer(ground);
const listener = await listen('127.0.0.1', 0);
listener.serve(app.fetch);
const run = (count: number) =>
  new Promise<void>((resolve, reject) => {
    const body = JSON.stringify(sendBody());
    const headers = {
      ...ground.caller.headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', client, JSON.stringify([listener.port, count, headers, body])],
      { stdio: 'inherit' },
    );
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`client ended with ${code}`))));
  });
await run(Math.ceil(requests / 4));
runtime.sent.length = 0;
const cpu = process.cpuUsage();
const started = performance.now();
await run(requests);
const used = process.cpuUsage(cpu);
const seconds = (performance.now() - started) / 1000;
console.log(
  `${requests} requests: ${((used.user + used.system) / requests).toFixed(1)} µs of CPU each, ${(requests / seconds).toFixed(0)} a second`,
);
await listener.close(1_000);
await ground.close();
