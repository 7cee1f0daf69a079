import { decodeUtf8 } from '../utf8.ts';
import { type JsonLimits, jsonLimits, Reader, readPieces } from './json.ts';
import { JsonError } from './json-error.ts';

/** Settings for parsing a response of another program. */
export interface AnswerReading {
  /** Resolves after the event loop has processed other work. */
  pause(): Promise<void>;
  /** Default: {@link jsonLimits}. */
  limits?: Partial<JsonLimits>;
  /** Integers of up to 20 digits beyond ±(2^53 - 1) become bigints; otherwise they become the nearest double. */
  bigIntegers?: boolean;
}

/** Number of bytes that `JSON.parse` reads within about 10 ms, whatever they contain. */
const shortAnswer = 131_072;
/**
 * Limits for a longer response that `JSON.parse` also reads within about 10 ms, because it has few values: deep
 * nesting and many names take most of the time.
 */
const fewValues = { bytes: 524_288, values: 12_000 };
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];

/**
 * Parses the JSON response of a node or another server, in linear time and without blocking the event loop
 * for long. Unlike `parseJson` it accepts common deviations: the last of duplicate members counts, and
 * decimals become the nearest double. Short responses, which `JSON.parse` reads in one step, may be nested
 * without limit; all others have at most 32 levels.
 *
 * @param content UTF-8. Invalid UTF-8 becomes U+FFFD, and a byte order mark at the beginning is skipped.
 * @throws {JsonError} for the first fault; never a `SyntaxError`, whose message would quote the text.
 */
export async function parseAnswer(
  content: Uint8Array,
  { pause, limits = {}, bigIntegers = false }: AnswerReading,
): Promise<unknown> {
  const pieces = decodeUtf8(content);
  if (!bigIntegers && isShort(content)) return parseShort([...pieces].join(''));
  const reader = new Reader('', {
    limits: { ...jsonLimits, ...limits },
    builds: true,
    allowed: ['imprecise-number', 'duplicate-key'],
    bigIntegers,
  });
  return readPieces(reader, pieces, pause);
}

function isShort(content: Uint8Array): boolean {
  if (content.length <= shortAnswer) return true;
  return content.length <= fewValues.bytes && hasFewValues(content);
}

/** Counts the commas, brackets and braces before values; those inside strings count too. */
function hasFewValues(content: Uint8Array): boolean {
  let values = 0;
  for (const byte of content) if (byte === comma || byte === bracket || byte === brace) values += 1;
  return values <= fewValues.values;
}

function parseShort(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError('syntax', '', 'is not valid JSON');
  }
}
