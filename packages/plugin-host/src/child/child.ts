import { Socket } from 'node:net';
import { connectThroughHost } from '../connections/child.ts';
import { failureOf } from '../failure.ts';
import { createFrameReader, encodeFrame } from '../messages/frame.ts';
import type { FromChild, ToChild } from '../messages/messages.ts';
import { Child } from './child-sessions.ts';
import { createShow } from './show-thrown.ts';
import { takeAway } from './take-away.ts';

/**
 * The program of a child process: imports one module, whose default export is an adapter definition, and executes the
 * host's requests from file descriptor 3. Arguments: the module's URL, the maximum bytes of a message, and
 * `show-thrown` if errors that the module throws are written to standard error. Exits when the host exits or
 * closes the stream.
 */
const [, , specifier = '', maxBytes = '', showing = ''] = process.argv;
const showsThrown = showing === 'show-thrown';
const stream = new Socket({ fd: 3, readable: true, writable: true });

function send(message: FromChild): void {
  stream.write(encodeFrame(message));
}

const child = new Child(send, showsThrown ? createShow() : undefined);
const read = createFrameReader(Number(maxBytes), {
  // The host's messages are trusted.
  message: (message) => child.handle(message as ToChild),
  fault: () => process.exit(1),
});
const { exit } = process;
stream.on('data', (chunk: Buffer) => {
  for (const _ of read(chunk));
});
for (const end of ['end', 'close', 'error']) stream.on(end, () => exit(0));

connectThroughHost(new Socket({ fd: 4, readable: true, writable: true }));
takeAway();

try {
  const used = child.use(await import(specifier));
  if (typeof used === 'string') send({ t: 'broken', reason: used });
  else {
    try {
      send({ t: 'ready', definition: used });
    } catch {
      send({ t: 'broken', reason: 'not-plain' });
    }
  }
} catch (error) {
  send({ t: 'broken', reason: 'import', failure: failureOf(error) });
  // Node prints the error on exit, including the position of a syntax error, which the error object lacks.
  if (showsThrown) throw error;
}
