import { z } from '@hono/zod-openapi';
import { commonLedgerProperties, remoteLedgerProperties } from '@ledger-ops/registry';
import { ok } from '../http/answer.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { PluginPort } from '../ports/plugin-port.ts';
import { unitSchema } from '../present/unit.ts';

const jsonSchema = (description: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .openapi({ description: `${description} Null: unknown.` });
const form = z
  .object({ pattern: z.string().openapi({ description: 'Pattern in RE2 syntax.' }), example: z.string() })
  .openapi('AddressForm');

const technologySchema = z
  .object({
    name: z.string().openapi({ description: 'The name used in ledgers, locators and meta.' }),
    title: z.string(),
    namespace: z.string().openapi({ description: 'Namespace of its chains (CAIP-2).' }),
    unit: unitSchema,
    addresses: z.object({ account: form, contract: form.optional() }).nullable(),
    content: z
      .object({
        schema: z.record(z.string(), z.unknown()).openapi({
          description: 'Schema of `native_transaction_content`, or one schema per type of operation.',
        }),
        version: z
          .string()
          .optional()
          .openapi({ description: 'Pattern of the supported meta versions. Default: all.' }),
        currentVersion: z.string().openapi({ description: 'The meta version for new requests.' }),
        overrides: z.record(z.string(), z.unknown()).optional().openapi({
          description: 'Members that override options of the operation.',
        }),
      })
      .nullable()
      .openapi({ description: 'Schemas for `meta.ledger.<name>`. Null if any object is accepted.' }),
    ledgerProperties: jsonSchema(
      'Properties of a ledger, in addition to those of all ledgers. `writeOnly` marks secrets. `x-address` marks an address that secrets are sent to. `x-unit` is the unit in which forms show a number: with `decimals` 3, the value 500 is shown as 0.5.',
    ),
    nodeProperties: jsonSchema(
      'Properties of a node. `writeOnly` and `x-address` have the same meaning as in `ledgerProperties`.',
    ),
    walletParameters: jsonSchema(
      '`pluginParameters` of a new wallet, in addition to `walletPassword` and the parameters for importing a key of the plugin’s type.',
    ),
    templates: z
      .object({
        code: z.record(z.string(), z.unknown()),
        package: z
          .boolean()
          .optional()
          .openapi({ description: 'Whether the code is a package that the server inspects.' }),
        languages: z.array(z.string()).optional(),
      })
      .nullable()
      .openapi({
        description: 'The form of compiled code, and the languages that the server compiles.',
      }),
    plugins: z.array(
      z.object({
        id: z.string(),
        version: z.string().openapi({ description: 'The plugin’s own version.' }),
        keyType: z.string().openapi({ description: '`remote`: the plugin holds the keys itself.' }),
        capabilities: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .openapi('LedgerTechnologyDescription');
const answerSchema = z
  .object({
    technologies: z.array(technologySchema),
    ledgerProperties: z.record(z.string(), z.unknown()).openapi({
      description: 'JSON Schema of the properties that ledgers of every technology have.',
    }),
    remoteLedgerProperties: z.record(z.string(), z.unknown()).openapi({
      description:
        'JSON Schema of the properties that a ledger of a remote plugin can have. Other properties are refused, because remote plugins do not receive them.',
    }),
  })
  .openapi('LedgerTechnologyDescriptions');

/** Reads the technologies of ledgers. Not part of the specification. */
export function technologyRoutes(plugins: Pick<PluginPort, 'technologies'>): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/technologies',
      operationId: 'listTechnologies',
      summary: 'List the technologies of ledgers',
      description:
        'Technologies offered by plugins of the deployer and of the caller’s project, by name, with JSON Schemas for forms of ledgers, nodes, wallets and native content. A plugin that is not loaded is listed with its last known description. Plugins that were never loaded, such as remote plugins that have not responded yet, are missing.',
      service: 'plugins',
      permission: { needs: [], on: 'self' },
      answers: { 200: { description: 'The technologies.', schema: answerSchema } },
      async handle({ principal }) {
        return ok({
          technologies: await plugins.technologies(principal),
          ledgerProperties: commonLedgerProperties,
          remoteLedgerProperties,
        });
      },
    }),
  ];
}
