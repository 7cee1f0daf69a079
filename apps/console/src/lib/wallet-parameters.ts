import type { Schemas } from '../api/types.ts';

/** A form field for a parameter of a new wallet. */
export interface WalletParameter {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isSecret: boolean;
  /** Shows a multi-line field. */
  readonly isLong: boolean;
  readonly isRequired: boolean;
}

/** A format in which an existing key can be imported. */
export interface KeyImport {
  readonly name: string;
  readonly title: string;
  readonly parameters: readonly WalletParameter[];
}

const key = (hint: string): WalletParameter => ({
  ...{ name: 'privateKey', label: 'Private key', hint },
  ...{ isSecret: true, isLong: true, isRequired: true },
});

/** Import formats by key type. The service stores only keys of these types. */
const imports: Readonly<Record<string, readonly KeyImport[]>> = {
  secp256k1: [
    { name: 'secp256k1', title: 'a private key', parameters: [key('32 bytes in hex.')] },
    {
      name: 'keystore',
      title: 'a keystore',
      parameters: [
        {
          ...{ name: 'keystore', label: 'Keystore', hint: 'The JSON of a V3 keystore.' },
          ...{ isSecret: false, isLong: true, isRequired: true },
        },
        {
          ...{ name: 'keystorePassword', label: 'Keystore password' },
          ...{ isSecret: true, isLong: false, isRequired: true },
        },
      ],
    },
  ],
  p256: [
    {
      name: 'p256',
      title: 'a private key',
      parameters: [key('In PEM, not encrypted. Add the certificate below.')],
    },
  ],
  ed25519: [
    {
      name: 'ed25519',
      title: 'a private key',
      parameters: [key('The key pair as a JSON array of numbers, or in base58.')],
    },
  ],
};

/** Import formats for the key types of a technology, without duplicates. */
export function keyImports({ plugins }: Schemas['LedgerTechnologyDescription']): KeyImport[] {
  return [...new Set(plugins.map(({ keyType }) => keyType))].flatMap((type) => imports[type] ?? []);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Additional wallet parameters that the technology's plugin accepts. */
export function pluginParameters({
  walletParameters,
}: Schemas['LedgerTechnologyDescription']): WalletParameter[] {
  const properties = walletParameters?.properties;
  if (!isObject(properties)) return [];
  const required = Array.isArray(walletParameters?.required) ? walletParameters.required : [];
  return Object.entries(properties).flatMap(([name, schema]): WalletParameter[] => {
    if (!isObject(schema) || schema.type !== 'string') return [];
    const { description, maxLength, writeOnly } = schema;
    return [
      {
        name,
        label: name,
        ...(typeof description === 'string' ? { hint: description } : {}),
        isSecret: writeOnly === true,
        isLong: typeof maxLength === 'number' && maxLength > 1_024,
        isRequired: required.includes(name),
      },
    ];
  });
}
