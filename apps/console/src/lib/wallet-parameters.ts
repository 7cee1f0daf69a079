import type { Schemas } from '../api/types.ts';

/** A parameter of a new wallet, as a form asks for it. */
export interface WalletParameter {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isSecret: boolean;
  /** It may have several lines. */
  readonly isLong: boolean;
  readonly isRequired: boolean;
}

/** How a key comes to the service that exists already. */
export interface KeyImport {
  readonly name: string;
  readonly title: string;
  readonly parameters: readonly WalletParameter[];
}

const key = (hint: string): WalletParameter => ({
  ...{ name: 'privateKey', label: 'Private key', hint },
  ...{ isSecret: true, isLong: true, isRequired: true },
});

/** By the type of the key; what is not here keeps its keys elsewhere. */
const imports: Readonly<Record<string, readonly KeyImport[]>> = {
  secp256k1: [
    { name: 'secp256k1', title: 'A private key', parameters: [key('32 bytes in hex.')] },
    {
      name: 'keystore',
      title: 'A keystore',
      parameters: [
        {
          ...{ name: 'keystore', label: 'Keystore', hint: 'The JSON of a V3 keystore.' },
          ...{ isSecret: false, isLong: true, isRequired: true },
        },
        {
          ...{ name: 'keystorePassword', label: 'Password of the keystore' },
          ...{ isSecret: true, isLong: false, isRequired: true },
        },
      ],
    },
  ],
  p256: [
    {
      name: 'p256',
      title: 'A private key',
      parameters: [key('In PEM, not encrypted. The certificate goes with it, below.')],
    },
  ],
  ed25519: [
    {
      name: 'ed25519',
      title: 'A private key',
      parameters: [key('The pair as a JSON array of numbers, or in base58.')],
    },
  ],
};

/** How keys of a technology are imported: one way of each name. */
export function keyImports({ plugins }: Schemas['LedgerTechnologyDescription']): KeyImport[] {
  return [...new Set(plugins.map(({ keyType }) => keyType))].flatMap((type) => imports[type] ?? []);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Texts that the plugin of a technology takes of a new wallet beside that. */
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
