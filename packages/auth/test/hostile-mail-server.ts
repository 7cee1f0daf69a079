import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * How a mail server misbehaves. `injection` sends responses before the handshake of STARTTLS, `drip` a response that
 * never ends, `lines` empty lines without end, and `tls-lines` the same after STARTTLS.
 */
export type Misbehavior =
  | 'injection'
  | 'no-starttls'
  | 'no-handshake'
  | 'greetings'
  | 'line'
  | 'drip'
  | 'lines'
  | 'tls-lines';

const source = `
const { createServer } = require('node:net');
const { TLSSocket } = require('node:tls');
const { parentPort, workerData: { misbehavior, key, cert } } = require('node:worker_threads');
const flood = (socket, part) => {
  const more = () => { while (!socket.destroyed && socket.write(part)); };
  socket.on('drain', more);
  more();
};
const drip = (socket, part, most = Infinity) => {
  let sent = 0;
  const timer = setInterval(() => { if ((sent += part.length) <= most) socket.write(part); }, 1);
  socket.on('close', () => clearInterval(timer));
};
const respond = (socket, line, isSecure) => {
  if (line.startsWith('EHLO')) {
    if (misbehavior === 'drip') drip(socket, '250-a\\r\\n');
    // Sends only slightly more than the limit: the client processes every empty line, even after
    // the connection ended.
    else if (misbehavior === (isSecure ? 'tls-lines' : 'lines')) drip(socket, '\\n'.repeat(4096), 49152);
    else socket.write(isSecure ? '250 AUTH PLAIN\\r\\n' : '250-AUTH PLAIN\\r\\n250 STARTTLS\\r\\n');
  } else if (line === 'STARTTLS') {
    if (misbehavior === 'no-starttls') { socket.write('502 no\\r\\n'); return; }
    socket.removeAllListeners('data');
    socket.write(misbehavior === 'injection' ? '220 go\\r\\n250 AUTH LOGIN\\r\\n235 ok\\r\\n250-in' : '220 go\\r\\n');
    if (misbehavior !== 'no-handshake') converse(new TLSSocket(socket, { isServer: true, key, cert }), true);
  } else if (line.startsWith('AUTH')) socket.write('235 ok\\r\\n');
  else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\\r\\n');
  else if (line === 'DATA') socket.write('354 go\\r\\n');
  else if (line === '.') socket.write('250 queued\\r\\n');
  else if (line === 'QUIT') socket.end('221 bye\\r\\n');
};
const converse = (socket, isSecure) => {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (part) => {
    text += part;
    for (let end; (end = text.indexOf('\\r\\n')) >= 0; text = text.slice(end + 2)) respond(socket, text.slice(0, end), isSecure);
  });
};
createServer((socket) => {
  converse(socket, false);
  if (misbehavior === 'greetings') flood(socket, '220-hello\\r\\n'.repeat(6000));
  else if (misbehavior === 'line') flood(socket, 'x'.repeat(65536));
  else socket.write('220 hello\\r\\n');
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

/**
 * Creates a mail server in a separate thread, so that its work is not measured. Its certificate is used for
 * STARTTLS.
 */
export async function startHostileMailServer(
  misbehavior: Misbehavior,
  certificate: { key: string; cert: string },
): Promise<{ port: number; close(): Promise<unknown> }> {
  const thread = new Worker(source, { eval: true, workerData: { misbehavior, ...certificate } });
  const [port] = await once(thread, 'message');
  return { port, close: () => thread.terminate() };
}
