import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '@ledger-ops/base';
import { JsonError, parseJson, parseJsonInSlices } from '@ledger-ops/glo-core';
import { pause } from '../pause.ts';
import { type BodyLimit, inWords } from './body-limits.ts';
import { createByteCollector } from './collect-bytes.ts';
import { type AppContext, headerOf, incomingOf } from './request-head.ts';

/** JSON texts up to this length are parsed synchronously. */
const longText = 65_536;

/** Supported media types of bodies. */
export type BodyType = 'application/json' | 'application/x-www-form-urlencoded';

/**
 * Reads a request body as text of the given media type.
 *
 * @throws Problem `unsupported-media-type`, `payload-too-large`, `request-timeout`, `invalid-json` (not UTF-8),
 * `invalid-request` (ended early)
 */
export async function readText(context: AppContext, type: BodyType, limit: BodyLimit): Promise<string> {
  demandMediaType(context, type);
  const declared = headerOf(context, 'content-length');
  if (declared !== undefined && Number(declared) > limit.bytes) throw tooLarge(limit);
  const incoming = incomingOf(context);
  const bytes =
    incoming === undefined ? await readStream(context.req.raw, limit) : await readIncoming(incoming, limit);
  if (!isUtf8(bytes)) {
    const detail = 'is not valid UTF-8';
    throw new Problem('invalid-json', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });
  }
  return bytes.toString('utf8');
}

/**
 * Reads a JSON body. An empty body is returned as `undefined` if the operation allows it.
 *
 * @throws Problem like {@link readText}, and `invalid-json` with a pointer to the error
 */
export async function readJson(
  context: AppContext,
  limit: BodyLimit,
  read: (length: number) => void = () => {},
): Promise<unknown> {
  const text = await readText(context, 'application/json', limit);
  read(text.length);
  try {
    return text.length <= longText ? parseJson(text, limit) : await parseJsonInSlices(text, pause, limit);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Problem('invalid-json', `${error.message}.`, {
      errors: [{ pointer: error.pointer, detail: error.detail }],
    });
  }
}

export function hasNoBody(context: AppContext): boolean {
  const length = headerOf(context, 'content-length');
  return (
    headerOf(context, 'content-type') === undefined &&
    headerOf(context, 'transfer-encoding') === undefined &&
    (length === undefined || length === '0')
  );
}

function demandMediaType(context: AppContext, type: BodyType): void {
  const given = headerOf(context, 'content-type');
  // Compares the common spelling first, which is faster. Rejects parameters other than charset=utf-8.
  if (given !== type && !(given !== undefined && isMediaType(given, type))) {
    throw new Problem(
      'unsupported-media-type',
      given === undefined
        ? `The body needs the header Content-Type: ${type}.`
        : `The body must be ${type} in UTF-8.`,
      { extensions: { accepts: [type] } },
    );
  }
  const encoding = headerOf(context, 'content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(
      'unsupported-media-type',
      'Compressed bodies (Content-Encoding) are not supported. Send the body uncompressed.',
    );
  }
}

function isMediaType(given: string, type: BodyType): boolean {
  const [name, ...parameters] = given.toLowerCase().split(';');
  return (
    name?.trim() === type &&
    parameters.every((parameter) => /^(charset\s*=\s*"?utf-?8"?)?$/.test(parameter.trim()))
  );
}

function tooLarge({ bytes }: BodyLimit): Problem {
  return new Problem(
    'payload-too-large',
    `The body of this operation can have at most ${bytes} bytes (${inWords(bytes)}).`,
  );
}

function tooSlow(): Problem {
  return new Problem('request-timeout', 'The body did not arrive in time. Send the request again.');
}

function cutShort(): Problem {
  return new Problem('invalid-request', 'The body ended before it was complete. Send the request again.');
}

async function readStream(request: Request, limit: BodyLimit): Promise<Buffer> {
  const collected = createByteCollector();
  if (request.body !== null) {
    for await (const chunk of request.body) {
      // Leaving the loop cancels the stream.
      if (collected.length + chunk.byteLength > limit.bytes) throw tooLarge(limit);
      collected.add(chunk);
    }
  }
  return collected.bytes();
}

function readIncoming(incoming: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const collected = createByteCollector();
    let timer: NodeJS.Timeout | undefined;
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      incoming.off('data', onData);
      incoming.off('end', onEnd);
      incoming.off('error', onBroken);
      incoming.off('close', onBroken);
      settle();
    };
    const onData = (chunk: Buffer) => {
      if (collected.length + chunk.length > limit.bytes) {
        incoming.pause();
        finish(() => reject(tooLarge(limit)));
        return;
      }
      collected.add(chunk);
    };
    const onEnd = () => finish(() => resolve(collected.bytes()));
    const onBroken = () => finish(() => reject(cutShort()));
    if (incoming.readableEnded) {
      resolve(Buffer.alloc(0));
      return;
    }
    if (incoming.destroyed) {
      reject(cutShort());
      return;
    }
    if (limit.milliseconds !== undefined && !incoming.complete) {
      timer = setTimeout(() => {
        incoming.pause();
        finish(() => reject(tooSlow()));
      }, limit.milliseconds);
    }
    incoming.on('data', onData);
    incoming.on('end', onEnd);
    incoming.on('error', onBroken);
    incoming.on('close', onBroken);
  });
}
