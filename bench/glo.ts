// Measures how fast a GLO is parsed, compared in the same run with JSON.parse and with ajv on the same schema.
//   node --conditions=@ledger-ops/source bench/glo.ts [milliseconds per round]
import {
  effectiveOperation,
  ethereum,
  gloJsonSchema,
  operationKey,
  parseGlo,
  parseJson,
} from '@ledger-ops/glo-core';
import { Ajv2020 } from 'ajv/dist/2020.js';

const glo = {
  version: '0.1.0',
  type: 'transfer',
  options: {
    recipient: {
      lookup_service: { type: 'ledger', value: 'ethereum' },
      resource: '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B',
    },
    amount: '1000000000000000000',
  },
  meta: {
    ledger: {
      ethereum: {
        version: '0.1.0',
        native_transaction_content: {
          from: '0x4B20993Bc481177ec7E8f571ceCaE8A9e22C02db',
          gasLimit: 21000,
          maxFeePerGas: '0x77359400',
          maxPriorityFeePerGas: '1000000000',
          chainId: 1337,
          nonce: '0x1',
        },
      },
    },
  },
};
const { meta: _, ...plain } = glo;
const text = JSON.stringify(glo);
const validate = new Ajv2020({ strictTypes: false }).compile(gloJsonSchema());
const target = 'ethereum';
const parsed = parseGlo(glo, { target });

const subjects: Record<string, () => unknown> = {
  'JSON.parse': () => JSON.parse(text),
  parseJson: () => parseJson(text),
  'ajv validate': () => validate(glo),
  parseGlo: () => parseGlo(glo, { target }),
  'parseGlo without meta': () => parseGlo(plain, { target }),
  effectiveOperation: () => effectiveOperation(parsed, ethereum),
  'text to operation': () => effectiveOperation(parseGlo(parseJson(text), { target }), ethereum),
  'text to key': () =>
    operationKey(effectiveOperation(parseGlo(parseJson(text), { target }), ethereum).operation),
};

const rounds = 7;
const milliseconds = Number(process.argv[2] ?? 200);
let sink = 0;

/** Calls per second over one round. */
function measure(subject: () => unknown): number {
  const start = performance.now();
  const end = start + milliseconds;
  let calls = 0;
  let now = start;
  while (now < end) {
    for (let call = 0; call < 500; call += 1) if (subject()) sink += 1;
    calls += 500;
    now = performance.now();
  }
  return (calls * 1000) / (now - start);
}

// Subjects alternate, so that a slowdown of the machine affects all of them. The first round is a warm-up.
const rates = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, subject] of Object.entries(subjects)) {
    const rate = measure(subject);
    if (round > 0) rates.get(name)?.push(rate);
  }
}

const median = (name: string): number => {
  const sorted = (rates.get(name) ?? []).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const rounded = (value: number) => Number(value.toPrecision(3));
console.log(`GLO of ${text.length} bytes, median of ${rounds} rounds, Node ${process.version}`);
for (const name of Object.keys(subjects)) {
  const rate = median(name);
  console.log(
    `${name.padEnd(22)} ${Math.round(rate).toLocaleString('en').padStart(12)} a second ` +
      `${(1e6 / rate).toFixed(2).padStart(8)} µs ${(rate / median('JSON.parse')).toFixed(2).padStart(8)} × JSON.parse`,
  );
}
console.log(
  JSON.stringify({
    bench: 'glo',
    bytes: text.length,
    perSecond: Object.fromEntries(Object.keys(subjects).map((name) => [name, Math.round(median(name))])),
    ratios: {
      'parseGlo to JSON.parse': rounded(median('parseGlo') / median('JSON.parse')),
      'parseGlo to ajv validate': rounded(median('parseGlo') / median('ajv validate')),
      'text to operation to JSON.parse and ajv together': rounded(
        median('text to operation') * (1 / median('JSON.parse') + 1 / median('ajv validate')),
      ),
      'parseJson to JSON.parse': rounded(median('parseJson') / median('JSON.parse')),
    },
    calls: sink > 0,
  }),
);
