import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonError,
  type JsonLimits,
  jsonLimits,
  maxJsonDepth,
  parseJson,
  parseJsonInSlices,
  scanJson,
} from '../index.ts';

function errorOf(text: string, limits?: Partial<JsonLimits>): JsonError {
  try {
    parseJson(text, limits);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error('expected a JsonError');
}

describe('parseJson', () => {
  it.each([
    '{}',
    '[]',
    ' { } ',
    '[ ]',
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '""',
    '"a"',
    '{"a":[1,{"b":[]}],"c":{}}',
    '"\\u0041\\n\\"\\\\\\/\\b\\f\\r\\t"',
    '"\\ud800"',
    '\t\r\n [1 , 2 ]\n',
    '{"":1}',
    '[[],[],{}]',
    '"é𝄞\u2028"',
    '{"constructor":1,"prototype":2}',
    '[0.1,1.50,2e3,1E-7,-2.5e+2,9007199254740991,5e-324,2.2250738585072014e-308]',
    '0.000000000000000000000000000001',
    '100000000000000',
    '[0e99,0.00]',
  ])('reads %s like JSON.parse', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    ' ',
    '{',
    '[',
    '}',
    ']',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1 "b":2}',
    '[1 2]',
    '[1}',
    '{"a":1]',
    '1 2',
    '{}{}',
    'tru',
    'True',
    'nul',
    'NaN',
    'Infinity',
    'undefined',
    '01',
    '-',
    '-a',
    '+1',
    '1.',
    '.5',
    '1e',
    '1e+',
    '0x1',
    '1.e5',
    '"',
    '"a',
    '"\\"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
    '"a\nb"',
    '"\u0000"',
    '\u00a01',
    '\ufeff{}',
    '// a\n1',
    '[1]]',
    '--1',
    '"a"b',
    '\u000b1',
  ])('refuses %j, like JSON.parse, with a JsonError', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(errorOf(text).reason).toBe('syntax');
  });

  it.each([
    ['{"a":1,"a":1}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"x":[0,{"b":1,"c":2,"b":3}]}', '/x/1/b'],
    [`{${Array.from({ length: 50 }, (_, index) => `"k${index}":0`).join()},"k49":1}`, '/k49'],
    [`{${Array.from({ length: 50 }, (_, index) => `"k${index}":0`).join()},"k0":1}`, '/k0'],
    ['{"a/b~":1,"a/b~":2}', '/a~1b~0'],
  ])('refuses the duplicate member in %s', (text, pointer) => {
    expect(errorOf(text)).toMatchObject({ reason: 'duplicate-key', pointer });
  });

  it('accepts the same name in different objects', () => {
    expect(parseJson('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}')).toBeTruthy();
  });

  it.each([
    ['{"__proto__":{}}', '/__proto__'],
    ['{"a":[{"\\u005f_proto__":1}]}', '/a/0/__proto__'],
  ])('parseJson refuses the member name in %s', (text, pointer) => {
    expect(errorOf(text)).toMatchObject({ reason: 'forbidden-key', pointer });
  });

  it.each([
    '9007199254740992',
    '-9007199254740993',
    '1e21',
    '12345678901234567890',
    '0.1234567890123456789',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740992.5',
    '1.00000000000000000001',
    '4.9406564584124654e-324',
  ])('refuses the number %s, which would lose precision', (number) => {
    expect(errorOf(`{"a":[0,${number}]}`)).toMatchObject({ reason: 'imprecise-number', pointer: '/a/1' });
  });

  it('parseJson accepts 32 levels of nesting and refuses 33', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(maxJsonDepth))).toBeTruthy();
    expect(errorOf(nested(maxJsonDepth + 1)).reason).toBe('too-deep');
    expect(errorOf('{"a":'.repeat(33)).reason).toBe('too-deep');
  });

  it('accepts at most the maximum number of values, in arrays and objects alike', () => {
    const items = (count: number) => `[${Array.from({ length: count }, () => '[]').join()}]`;
    expect(parseJson(items(jsonLimits.values - 1))).toHaveLength(jsonLimits.values - 1);
    expect(errorOf(items(jsonLimits.values))).toMatchObject({
      reason: 'too-many',
      pointer: `/${jsonLimits.values - 1}`,
    });
    expect(parseJson('{"a":[1,{"b":2}]}', { values: 5 })).toEqual({ a: [1, { b: 2 }] });
    expect(errorOf('{"a":[1,{"b":2}]}', { values: 4 })).toMatchObject({
      reason: 'too-many',
      pointer: '/a/1/b',
    });
  });

  it('accepts at most the maximum number of members of one object', () => {
    const object = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`;
    expect(Object.keys(parseJson(object(jsonLimits.members)) ?? {})).toHaveLength(jsonLimits.members);
    expect(errorOf(object(jsonLimits.members + 1))).toMatchObject({
      reason: 'too-many',
      pointer: `/k${jsonLimits.members}`,
    });
    expect(parseJson('[{"a":1},{"a":1}]', { members: 1 })).toEqual([{ a: 1 }, { a: 1 }]);
    expect(errorOf('{"a":1,"b":1}', { members: 1 }).pointer).toBe('/b');
  });

  it('reports the position of the fault without quoting the document', () => {
    const error = errorOf('{"walletPassword":"hunter2","glo":{"amount":tru}}');
    expect(error).toMatchObject({
      pointer: '/glo/amount',
      detail: expect.stringContaining('at character 45'),
    });
    expect(error.message).not.toContain('hunter2');
  });
});

describe('hostile texts', () => {
  const million = 1_000_000;
  it.each([
    ['endless arrays', '['.repeat(10 * million)],
    ['endless objects', '{"a":'.repeat(2 * million)],
    ['an endless string', `"${'a'.repeat(10 * million)}`],
    ['a number of ten million digits', '1'.repeat(10 * million)],
    ['ten million zeros after the point', `0.${'0'.repeat(10 * million)}1`],
    ['runs of zeros between digits', `0.${'0001'.repeat(2 * million)}`],
    ['endless escapes', '"'.concat('\\n'.repeat(5 * million))],
    ['endless spaces', ' '.repeat(10 * million)],
  ])('parseJson refuses %s in linear time', (_, text) => {
    expect(errorOf(text)).toBeInstanceOf(JsonError);
  });

  it('compares many members of one object in linear time', () => {
    const members = Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join();
    const limits = { values: million, members: million };
    expect(() => scanJson(`{${members}}`, limits)).not.toThrow();
    expect(errorOf(`{${members},"k7":0}`, limits).pointer).toBe('/k7');
  });

  it('does not repeat a name of a million characters in the pointer', () => {
    const name = 'a'.repeat(million);
    expect(errorOf(`{"${name}":1,"${name}":2}`).message.length).toBeLessThan(2000);
  });
});

describe('parseJsonInSlices', () => {
  const million = 1_000_000;
  const read = async (text: string) => {
    let pauses = 0;
    const value = await parseJsonInSlices(text, async () => {
      pauses += 1;
    });
    return { value, pauses };
  };

  it.each([
    ['a text', JSON.stringify('a'.repeat(million))],
    ['a text of escapes', JSON.stringify({ a: '\n\\"\u0001'.repeat(million / 4) })],
    ['a text of surrogate pairs', JSON.stringify(['x', '𝄞'.repeat(million / 2)])],
    ['escaped surrogates', `"${'\\ud834\\udd1e'.repeat(million / 12)}"`],
    ['spaces everywhere', ' { "a" : [ 1 , "b" ] } '.replaceAll(' ', ' '.repeat(million / 10))],
    [
      'many values',
      JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ [`k${index}`]: 'value' }))),
    ],
  ])('reads %s as JSON.parse does, with a pause in between', async (_what, text) => {
    const { value, pauses } = await read(text);
    expect(value).toEqual(JSON.parse(text));
    expect(pauses).toBeGreaterThan(2);
  });

  it.each([
    ['an unterminated string', `"${'a'.repeat(million)}`],
    ['a long name', JSON.stringify([{ [`${'a'.repeat(million)}\n`]: 1 }])],
    ['an invalid escape sequence', `"${'\\n'.repeat(million / 2)}\\x"`],
    ['text after the value', `[]${' '.repeat(million)}1`],
    ['a duplicate name', `{"a":1${' '.repeat(million)},"a":1}`],
  ])('parseJsonInSlices refuses %s with the error of parseJson', async (_what, text) => {
    const { pointer, detail, reason } = errorOf(text);
    await expect(read(text)).rejects.toMatchObject({ name: 'JsonError', pointer, detail, reason });
  });

  it('reads any document like JSON.parse, regardless of where slices end', async () => {
    const document = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 0, max: 60 }), async (value, shift) => {
        const text = `${' '.repeat(65_536 - shift)}${JSON.stringify(value)}`;
        try {
          scanJson(text);
        } catch {
          fc.pre(false);
        }
        expect((await read(text)).value).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });
});

describe('arbitrary JSON texts', () => {
  it('reads a JSON document of safe numbers like JSON.parse, with any spacing', () => {
    const document = fc.jsonValue({ maxDepth: 8, noUnicodeString: false });
    fc.assert(
      fc.property(document, fc.constantFrom('', ' ', '\t', '\n  '), (value, space) => {
        const text = JSON.stringify(value, null, space);
        fc.pre(!text.includes('"__proto__"'));
        const hasUnsafe = JSON.stringify(value, (_, member) =>
          Number.isInteger(member) && !Number.isSafeInteger(member) ? 'unsafe!' : member,
        ).includes('"unsafe!"');
        fc.pre(!hasUnsafe);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('throws nothing but JsonError, and accepts nothing that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"b":',
      '1',
      '0',
      '-',
      '.',
      'e',
      '1e5',
      '\\',
      '\\u00',
      'true',
      'null',
      ' ',
      '\n',
      '\u0000',
      '"__proto__":',
      '9'.repeat(20),
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        let parsed: unknown;
        try {
          parsed = parseJson(input);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
          if ((error as JsonError).reason === 'syntax') expect(() => JSON.parse(input)).toThrow(SyntaxError);
          return;
        }
        expect(parsed).toEqual(JSON.parse(input));
      }),
      { numRuns: 1000 },
    );
  });

  it('every accepted number has exactly the value that is written', () => {
    const literal = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.option(fc.stringMatching(/^[0-9]{1,20}$/), { nil: undefined }),
        fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
      )
      .map(([sign, integer, fraction, exponent]) => ({
        text: `${sign}${integer}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`,
        // Exact value times 10^50, which is a whole number.
        scaled:
          BigInt(`${integer}${fraction ?? ''}`) *
          10n ** BigInt(50 + (exponent ?? 0) - (fraction?.length ?? 0)),
      }));
    fc.assert(
      fc.property(literal, ({ text, scaled }) => {
        try {
          scanJson(text);
        } catch {
          return;
        }
        // `toString` returns the shortest decimal that reads back as this double, and its value must equal the
        // literal's. toFixed and toPrecision may return other digits.
        const [mantissa = '', power = '0'] = Math.abs(Number(text)).toString().split('e');
        const [integer = '', fraction = ''] = mantissa.split('.');
        expect(BigInt(integer + fraction) * 10n ** BigInt(50 + Number(power) - fraction.length)).toBe(scaled);
      }),
      { numRuns: 500 },
    );
  });
});

it('validates the rest of a document after a fault that the caller allows', () => {
  const scan = (text: string) => scanJson(text, { values: 10 }, ['imprecise-number', 'duplicate-key']);
  const allowed = '{"a":1,"a":2,"b":1e999,"c":12345678901234567890';
  expect(() => scan(`${allowed}}`)).not.toThrow();
  expect(() => scan(`${allowed},"d":[1,2,3,4,5,6]}`)).toThrow(/too many values/);
  expect(() => scan(`${allowed},"__proto__":1}`)).toThrow(/reserved member name/);
  expect(() => scan(`[${'1'.repeat(5_000)},1e]`)).toThrow(/no digits in its exponent/);
});
