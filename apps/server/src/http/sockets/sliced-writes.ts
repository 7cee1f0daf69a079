import { Socket } from 'node:net';

/** Maximum bytes of a connection that one turn of the event loop copies to the operating system. */
const sliceBytes = 65_536;

interface Chunk {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

type Done = (error?: Error | null) => void;

const { _write: write } = Socket.prototype;
// Node's sockets always have this method; only streams in general may lack it.
const writeAll = Socket.prototype._writev as NonNullable<Socket['_writev']>;

/**
 * Makes a connection write long responses in slices, one per turn of the event loop. By default, Node writes a response as a whole,
 * and the operating system accepts megabytes of it even if the client does not read: 200 such responses of 2 MB, requested at
 * the same time, block the event loop for 100 to 370 ms. The order of bytes does not change, because the stream writes
 * nothing else before it is done.
 */
export function sliceWrites(socket: Socket): void {
  socket._write = writeChunk;
  socket._writev = writeChunks;
}

// All connections share these functions, so that V8 optimizes their calls.
function writeChunk(this: Socket, chunk: string | Buffer, encoding: BufferEncoding, done: Done): void {
  if (chunk.length <= sliceBytes) write.call(this, chunk, encoding, done);
  else writeSlices(this, slicesOf([{ chunk, encoding }]), done);
}

function writeChunks(this: Socket, chunks: Chunk[], done: Done): void {
  let length = 0;
  for (const { chunk } of chunks) length += chunk.length;
  if (length <= sliceBytes) writeAll.call(this, chunks, done);
  else writeSlices(this, slicesOf(chunks), done);
}

function writeSlices(socket: Socket, slices: Generator<Chunk[], void>, done: Done): void {
  const { value: slice } = slices.next();
  if (slice === undefined) {
    done();
    return;
  }
  writeAll.call(socket, slice, (error) => {
    if (error) done(error);
    else setImmediate(writeSlices, socket, slices, done);
  });
}

/** Chunks in groups of at most `sliceBytes`. */
function* slicesOf(chunks: readonly Chunk[]): Generator<Chunk[], void> {
  let slice: Chunk[] = [];
  let left = sliceBytes;
  for (const { chunk, encoding } of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + left);
      slice.push({ chunk: part, encoding });
      at += part.length;
      left -= part.length;
      if (left > 0) continue;
      yield slice;
      [slice, left] = [[], sliceBytes];
    }
  }
  if (slice.length > 0) yield slice;
}
