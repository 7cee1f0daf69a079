import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';
import { fabricGloContent } from '@ledger-ops/glo-core';

const line: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  pattern: '^\\P{Cc}+$',
  'x-detail': 'must have 1 to 2048 characters without control characters',
};
/** Names of channels, members and functions. \s matches only ASCII spaces in RE2. */
const name: JsonSchema = {
  type: 'string',
  pattern: '^[^\\p{Cc}\\p{Z}\ufeff/]{1,256}$',
  'x-detail': 'must have 1 to 256 characters without slashes, spaces and control characters',
};
const pem: JsonSchema = { type: 'string', format: 'pem', maxLength: 65_536 };
const names: JsonSchema = { type: 'array', maxItems: 64, items: line };

function whole(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

function timeout(maximum: number, description: string): JsonSchema {
  return { ...whole(100, maximum, description), 'x-unit': { name: 'seconds', decimals: 3 } };
}

function parameter(maxLength: number, description: string): JsonSchema {
  return {
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: '^\\P{Cc}+$',
    'x-detail': 'must be a non-empty string without control characters',
    description,
  };
}

const part = '[^\\p{Cc}\\p{Z}\ufeff/]+';

/**
 * Properties, native content and wallet parameters of Fabric, as hosts read them. The limits of the properties are
 * defined in `properties.ts`.
 */
export const fabricDescription: TechnologyDescription = {
  title: 'Hyperledger Fabric',
  content: fabricGloContent,
  ledgerProperties: {
    type: 'object',
    properties: {
      transfer_contract: {
        type: 'string',
        pattern: `^${part}/${part}(/${part})?$`,
        description: 'The token contract for transfers.',
        'x-detail': 'must be channel/chaincode or channel/chaincode/contract',
      },
      transfer_method: { ...name, description: 'Method of the token contract that transfers tokens.' },
      transfer_recipient: {
        enum: ['address', 'x509'],
        description: 'Form in which the token contract identifies accounts.',
        'x-detail': 'must be address or x509',
      },
      channel: {
        ...name,
        description: 'Channel that is used if an operation names none.',
        examples: ['mychannel'],
      },
      msp_id: { ...name, description: "The organization of the ledger's wallets.", examples: ['Org1MSP'] },
      ca_url: {
        type: 'string',
        maxLength: 2_048,
        pattern:
          '^(?:https://[^\\p{Cc}\\p{Z}/?#@\\\\]+|http://(?:localhost|127(?:\\.[0-9]{1,3}){3}|\\[::1\\])(?::[0-9]{1,5})?)(?:[/?#][^\\p{Cc}\\p{Z}]*)?$',
        'x-address': true,
        description:
          'The CA of the organization. Passwords are sent to the CA, so http is only allowed on this machine.',
        'x-detail': 'must be an https URL without credentials, because passwords are sent to it',
      },
      ca_name: { ...name, 'x-address': true },
      ca_tls_certificate: { ...pem, 'x-address': true },
      ca_registrar_id: {
        ...name,
        'x-address': true,
        description: 'Identity that registers other identities at the CA.',
      },
      ca_registrar_secret: { ...line, writeOnly: true },
      ca_attributes: {
        type: 'array',
        maxItems: 64,
        items: {
          type: 'string',
          minLength: 1,
          maxLength: 2_048,
          // Matches anything that does not start with "hf.", without look-ahead, which RE2 lacks.
          pattern: '^(?:[^\\p{Cc}h]\\P{Cc}*|h(?:[^\\p{Cc}f]\\P{Cc}*)?|hf(?:[^\\p{Cc}.]\\P{Cc}*)?)$',
          'x-detail': 'must be one line that does not start with hf., which is reserved for the CA',
        },
        description: 'Names of the attributes that a user may choose when creating a wallet.',
      },
      ca_affiliations: {
        ...names,
        description: 'Affiliations that a user may choose when creating a wallet.',
      },
      tls_ca_certificate: {
        ...pem,
        'x-address': true,
        description: 'Root certificates of the peers, for nodes without their own root certificates.',
      },
      tls_client_certificate: {
        ...pem,
        'x-address': true,
        description: 'Client certificate for mutual TLS with the peers.',
      },
      tls_client_key: { ...pem, writeOnly: true },
      observer_certificate: {
        ...pem,
        'x-address': true,
        description: 'Certificate of the identity that reads blocks.',
      },
      observer_private_key: { ...pem, writeOnly: true },
      retry_conflicts: whole(0, 10, 'Maximum number of new proposals after a read conflict.'),
      endorse_timeout: timeout(600_000, 'Maximum time for endorsement. Stored in milliseconds.'),
      submit_timeout: timeout(600_000, 'Maximum time for submission to the orderer. Stored in milliseconds.'),
      commit_timeout: timeout(
        3_600_000,
        'Maximum time until the transaction is committed. Stored in milliseconds.',
      ),
      max_peer_calls: whole(1, 1_000_000, 'Maximum number of concurrent calls to peers.'),
    },
    additionalProperties: false,
  },
  nodeProperties: {
    type: 'object',
    properties: {
      admin: {
        anyOf: [{ type: 'boolean' }, line],
        'x-detail': 'must be true or false, as a boolean or a string',
      },
      role: {
        enum: ['gateway', 'peer', 'orderer', 'ca'],
        description: 'A `gateway` (default) receives calls; a `peer` is only used to install chaincode.',
        'x-detail': 'must be gateway, peer, orderer or ca',
      },
      msp_id: { ...line, description: 'Organization of the peer.' },
      tls_server_name: { ...line, 'x-address': true },
      tls_ca_certificate: { ...pem, 'x-address': true },
      tls_client_certificate: { ...pem, 'x-address': true },
      tls_client_key: { ...pem, writeOnly: true },
      authorization: { ...line, writeOnly: true },
    },
    additionalProperties: false,
  },
  walletParameters: {
    type: 'object',
    properties: {
      certificate: {
        type: 'string',
        maxLength: 65_536,
        description: 'An existing identity: a certificate in PEM, together with its privateKey.',
      },
      enrollmentId: parameter(
        256,
        'Enrollment id at the CA. Default: the id of the wallet, if the ledger has a registrar.',
      ),
      enrollmentSecret: {
        ...parameter(256, 'Secret of an identity that is already registered.'),
        writeOnly: true,
      },
      mspId: parameter(256, "Organization of the certificate, if it is not the ledger's own."),
      affiliation: parameter(256, 'One of the ca_affiliations of the ledger.'),
      attributes: parameter(
        4_096,
        'A JSON object with string values; its names must be among the ca_attributes of the ledger.',
      ),
    },
    dependentRequired: {
      privateKey: ['certificate'],
      certificate: ['privateKey'],
      enrollmentSecret: ['enrollmentId'],
    },
    additionalProperties: false,
  },
  addresses: {
    account: {
      pattern:
        '^(?:x509::\\P{Cc}+::\\P{Cc}+|[A-Za-z0-9._-]{1,128}/[^\\p{Cc}\\p{Z}\ufeff](?:\\P{Cc}*[^\\p{Cc}\\p{Z}\ufeff])?)$',
      example: 'Org1MSP/alice',
    },
    contract: {
      pattern: '^[a-z][a-z0-9.-]{0,248}/_?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?:/.+)?$',
      example: 'mychannel/basic',
    },
  },
  templates: {
    code: {
      type: 'string',
      format: 'base64',
      minLength: 4,
      description: 'A chaincode package: .tar.gz in base64.',
    },
    package: true,
  },
};
