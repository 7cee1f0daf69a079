import * as z from 'zod/mini';
import {
  base64,
  cloudWalletGloSchema,
  currentGloVersion,
  ethereumContent,
  fabricContent,
  gatewayGloSchema,
  gloSchemas,
  ledgerLookup,
  locatorSchema,
  metaSchema,
  olderCallSchema,
  serviceLookup,
} from './schema.ts';

/** Base64 of whole groups: the parser finds the same by a pattern and the length. */
const wholeBase64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** Patterns by properties of characters, which not every language's expressions have: what is left, and the rest in words. */
const portable: Readonly<Record<string, { description: string; minLength?: number; pattern?: string }>> = {
  '^[^\\p{Cc}\\p{Cs}]+$': { description: 'Without control characters and lone surrogates.', minLength: 1 },
  '^[^\\p{Cc}\\p{Cs}/]+$': {
    description: 'Without control characters and lone surrogates.',
    pattern: '^[^/]+$',
  },
  '^\\P{Cs}*$': { description: 'Without lone surrogates.' },
};

/**
 * The JSON Schema (2020-12) of a GLO in each form that the parser reads, made from the schemas that it uses: the
 * canonical one and the two older ones of contract calls. It holds each member for itself; what holds between
 * members only the parser knows, and what a pattern of one language alone could say stands in words. A new object
 * with each call.
 */
export function gloJsonSchema(): Record<string, unknown> {
  const { transfer, contract_call, contract_deploy } = gloSchemas;
  const names = z.registry<{ id: string; description?: string }>();
  names.add(transfer, { id: 'GloTransfer' });
  names.add(contract_call, { id: 'GloContractCall' });
  names.add(contract_deploy, { id: 'GloContractDeploy' });
  names.add(gatewayGloSchema, { id: 'GloGatewayCall', description: 'The older gateway’s form; deprecated.' });
  names.add(cloudWalletGloSchema, {
    id: 'GloCloudWalletCall',
    description: 'The cloud wallet’s form; deprecated.',
  });
  names.add(olderCallSchema, { id: 'GloOlderCall' });
  names.add(serviceLookup, { id: 'GloServiceLookup' });
  names.add(ledgerLookup, { id: 'GloLedgerLookup' });
  names.add(locatorSchema, { id: 'GloLocator' });
  names.add(metaSchema, { id: 'GloMeta' });
  names.add(ethereumContent, { id: 'GloEthereumContent' });
  names.add(fabricContent, { id: 'GloFabricContent' });
  const forms = [transfer, contract_call, contract_deploy, gatewayGloSchema, cloudWalletGloSchema];
  const schema = z.toJSONSchema(z.union(forms), {
    target: 'draft-2020-12',
    io: 'input',
    metadata: names,
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === base64) jsonSchema.pattern = wholeBase64;
      const instead = portable[jsonSchema.pattern ?? ''];
      if (instead === undefined) return;
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, instead);
    },
  });
  return {
    ...schema,
    title: 'Generic ledger operation (GLO)',
    description: `Canonical form, version ${currentGloVersion}; or one of two older forms of a contract call.`,
  };
}
