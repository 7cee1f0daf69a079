import { z } from '@hono/zod-openapi';
import { commonLedgerProperties } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { PluginPort } from '../../ports/plugin-port.ts';
import { unitSchema } from '../../present/unit.ts';

const jsonSchema = (description: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .openapi({ description: `${description} Null: nothing is said of it.` });
const form = z
  .object({ pattern: z.string().openapi({ description: 'As RE2 reads it.' }), example: z.string() })
  .openapi('AddressForm');

const technologySchema = z
  .object({
    name: z.string().openapi({ description: 'As ledgers, locators and meta name it.' }),
    title: z.string(),
    namespace: z.string().openapi({ description: 'Namespace of its chains (CAIP-2).' }),
    unit: unitSchema,
    addresses: z.object({ account: form, contract: form.optional() }).nullable(),
    content: z
      .object({
        schema: z.record(z.string(), z.unknown()).openapi({
          description: 'Of `native_transaction_content`: one, or one for each type of operation.',
        }),
        version: z
          .string()
          .optional()
          .openapi({ description: 'Pattern of the versions of meta that are read. Absent: any.' }),
        currentVersion: z.string().openapi({ description: 'The one of them to write.' }),
        overrides: z.record(z.string(), z.unknown()).optional().openapi({
          description: 'Members that go before options of the operation.',
        }),
      })
      .nullable()
      .openapi({ description: 'Of `meta.ledger.<name>`. Null: any object.' }),
    ledgerProperties: jsonSchema(
      'Properties of a ledger, beside those that all ledgers have. `writeOnly`: secret; `x-address`: says where secrets go.',
    ),
    nodeProperties: jsonSchema('Properties of a node, likewise.'),
    walletParameters: jsonSchema(
      '`pluginParameters` of a new wallet, beside `walletPassword` and what imports a key of the type of the plugin.',
    ),
    templates: z
      .object({
        code: z.record(z.string(), z.unknown()),
        package: z.boolean().optional().openapi({ description: 'Code is a package that is looked into.' }),
        languages: z.array(z.string()).optional(),
      })
      .nullable()
      .openapi({
        description: 'The form of compiled code, and the languages that the server compiles for it.',
      }),
    plugins: z.array(
      z.object({
        id: z.string(),
        version: z.string().openapi({ description: 'The plugin’s own version.' }),
        keyType: z.string().openapi({ description: '`remote`: the plugin keeps the keys itself.' }),
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
  })
  .openapi('LedgerTechnologyDescriptions');

/** Technologies of ledgers. Ours. */
export function technologyRoutes(plugins: Pick<PluginPort, 'technologies'>): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/technologies',
      operationId: 'listTechnologies',
      summary: 'List technologies of ledgers',
      description:
        'What the plugins of the deployer and of the caller’s project offer, by name: forms for ledgers, nodes, wallets and native content can be made from the JSON Schemas. Of a plugin that is not loaded it is what its module said when it was loaded last; one that was never loaded, as a remote plugin that has not answered yet, is not listed.',
      service: 'plugins',
      permission: { needs: [], on: 'self' },
      answers: { 200: { description: 'The technologies.', schema: answerSchema } },
      async handle({ principal }) {
        return ok({
          technologies: await plugins.technologies(principal),
          ledgerProperties: commonLedgerProperties,
        });
      },
    }),
  ];
}
