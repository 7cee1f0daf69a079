import { Socket } from 'node:net';
import { Child } from './child-sessions.ts';
import { createFrameReader, encodeFrame } from './frame.ts';
import type { FromChild, ToChild } from './messages.ts';

/**
 * The program of a child process: imports one module, whose default export is an adapter definition, and does
 * what the host asks over file descriptor 3. Arguments: the module's URL, and the most bytes of a message.
 * It ends when the host does, or closes the stream.
 */
const [, , specifier = '', maxBytes = ''] = process.argv;
const stream = new Socket({ fd: 3, readable: true, writable: true });

function send(message: FromChild): void {
  stream.write(encodeFrame(message));
}

const child = new Child(send);
const read = createFrameReader(Number(maxBytes), {
  // The host is trusted: it wrote what it says.
  message: (message) => child.handle(message as ToChild),
  fault: () => process.exit(1),
});
const { exit } = process;
stream.on('data', read);
for (const end of ['end', 'close', 'error']) stream.on(end, () => exit(0));

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

try {
  const module: unknown = await import(specifier);
  const members = child.use(module);
  try {
    send({ t: 'ready', definition: members });
  } catch {
    send({ t: 'broken', detail: 'its default export holds members that are not plain data' });
  }
} catch (error) {
  send({ t: 'broken', detail: `importing it failed with ${describe(error)}` });
}
