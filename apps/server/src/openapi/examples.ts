import { isJson, type Json } from './portable.ts';

const uuid = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11';
const time = '2026-11-20T12:30:05.310Z';

/** Example values by member name in lower case, for members whose type does not suggest a realistic value. */
const values: Readonly<Record<string, unknown>> = {
  accountid: 'payments',
  aliases: 'x509::/CN=alice::/CN=ca.example.com',
  balance: '1000000000000000000',
  keytype: 'secp256k1',
  pem: '-----BEGIN CERTIFICATE-----…',
  appid: 'shop',
  apptoken: 'app_…',
  apitoken: 'sak_…',
  contractaddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  walletaddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  locator: '0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706',
  txid: '0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706',
  datecreated: 1_795_177_805_310,
  dateupdated: 1_795_177_805_310,
  expires_in: 300,
  access_token: 'eyJ…',
  intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
  ledgerid: 'dev-ethereum',
  organizationid: 'example',
  pagenumber: 0,
  nextpage: 0,
  previouspage: 0,
  projectid: 'payments',
  walletid: 'alice',
};

/** Examples of responses that are not JSON, by media type. */
export const textExamples: Readonly<Record<string, string>> = {
  'text/html': '<!doctype html><html lang="en">…</html>',
  'text/event-stream': `id: 1\nevent: action\ndata: {"actionId":"${uuid}","status":"SUCCEEDED"}\n\n`,
  'image/png': '…',
  'image/jpeg': '…',
  'image/webp': '…',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

/** Returns an example of a schema, for responses without a specific example. */
export function exampleOf(schema: Json, schemas: Json, name = ''): unknown {
  if ('example' in schema) return schema.example;
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref.split('/').at(-1) ?? '';
    return exampleOf(partOf(schemas, target), schemas, name);
  }
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].find(Array.isArray);
  if (parts !== undefined) {
    const made: unknown[] = parts.map((part: Json) => exampleOf(part, schemas, name));
    return schema.allOf === undefined
      ? (made.find((one) => one !== null) ?? null)
      : Object.assign({}, ...made);
  }
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('default' in schema) return schema.default;
  const type: unknown = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (type === 'object') return exampleObject(schema, schemas);
  if (type === 'array') return isJson(schema.items) ? [exampleOf(schema.items, schemas, name)] : [];
  return exampleScalar(type, schema, name);
}

function exampleObject({ properties, required }: Json, schemas: Json): Json {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = Object.entries(isJson(properties) ? properties : {});
  return Object.fromEntries(
    members.flatMap(([name, part]) => {
      // An optional member of any type is omitted from examples.
      const isVague = isJson(part) && part.type === undefined && part.$ref === undefined;
      if (!isJson(part) || (isVague && !needed.includes(name))) return [];
      return [[name, exampleOf(part, schemas, name)]];
    }),
  );
}

function exampleScalar(type: unknown, { format, minimum }: Json, name: string): unknown {
  const known = values[name.toLowerCase()];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') {
    if (typeof known === 'number') return known;
    return typeof minimum === 'number' && minimum > 1 ? minimum : 1;
  }
  if (type === 'null') return null;
  if (format === 'uuid') return typeof known === 'string' && known.length === uuid.length ? known : uuid;
  if (format === 'date-time') return time;
  if (format === 'uri') return 'https://ledger.example/';
  if (typeof known === 'string') return known;
  return name === '' ? 'text' : name;
}

function partOf(schemas: Json, name: string): Json {
  const found = schemas[name];
  return isJson(found) ? found : {};
}
