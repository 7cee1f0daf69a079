import { strict as assert } from 'node:assert';
import {
  interfaceVersion,
  isCompatibleInterface,
  readDefinition,
  readDescription,
} from '@ledger-ops/adapter';
import { type AdapterCheck, sample } from '../check.ts';
import { misfitsOf } from '../misfits.ts';
import { assertRefused } from '../problem.ts';

/** Checks of a definition's members. */
export const definitionChecks: readonly AdapterCheck[] = [
  {
    name: 'a host accepts the name, technology, versions and capabilities of the definition',
    needs: [],
    async run({ definition, harness }) {
      // Hosts make the same check: a definition that a host refuses cannot be registered.
      readDefinition(definition.name, { ...definition, interfaceVersion });
      assert.equal(
        harness.ledger.technology,
        definition.technology,
        'the ledger and the adapter have different technologies',
      );
    },
  },
  {
    name: 'the definition was written for an interface version that this package supports',
    needs: [],
    async run({ definition }) {
      assert.ok(
        isCompatibleInterface(definition.interfaceVersion),
        `the adapter was written for ${definition.interfaceVersion}, but the conformance kit is for ${interfaceVersion}`,
      );
    },
  },
  {
    name: 'the description of the technology is valid and is plain JSON',
    needs: [],
    async run({ definition: { name, technology, description } }) {
      const read = readDescription(name, technology, description);
      assert.deepStrictEqual(
        JSON.parse(JSON.stringify(read)),
        description,
        'the description is not plain JSON',
      );
    },
  },
  {
    name: 'examples and defaults of the description match their schemas',
    needs: [],
    async run({ definition: { description } }) {
      assert.deepStrictEqual(
        misfitsOf(description),
        [],
        'a form built from the description starts with invalid values',
      );
    },
  },
  {
    name: 'the definition is frozen',
    needs: [],
    async run({ definition }) {
      assert.ok(Object.isFrozen(definition), 'the definition is not frozen; create it with defineAdapter()');
    },
  },
  {
    name: 'the capabilities are complete and do not contradict each other',
    needs: [],
    async run({ definition: { capabilities } }) {
      const { operations } = capabilities;
      assert.equal(new Set(operations).size, operations.length, 'an operation is declared twice');
      assert.deepStrictEqual(
        structuredClone(capabilities),
        capabilities,
        'the capabilities are not plain data',
      );
    },
  },
  {
    name: 'a contract interface is parsed into methods, and parsing its normalized text returns the same methods',
    needs: [sample('interfaces')],
    async run(stage) {
      const { definition } = stage;
      for (const text of stage.sample('interfaces').good) {
        const read = await definition.readInterface(text);
        assert.deepStrictEqual(structuredClone(read), read, 'the interface is not plain data');
        assert.ok(read.methods.length > 0, 'the sample interface has no methods');
        const signatures = read.methods.map((method) => method.signature);
        assert.equal(
          new Set(signatures).size,
          signatures.length,
          'two methods of the sample contract have the same signature',
        );
        for (const method of read.methods) {
          assert.ok(
            method.signature.startsWith(method.name),
            `${method.signature} does not start with the name ${method.name}`,
          );
          assert.equal(typeof method.view, 'boolean', `${method.signature} has no view flag`);
        }
        for (const { name, type } of read.constructorInputs ?? []) {
          assert.ok(
            typeof name === 'string' && typeof type === 'string',
            'a constructor argument has no name or no type',
          );
        }
        assert.deepStrictEqual(
          await definition.readInterface(read.interface),
          read,
          'parsing the normalized interface returns different methods',
        );
      }
    },
  },
  {
    name: 'a string that is not a contract interface is rejected as an invalid argument, with issues',
    needs: [sample('interfaces')],
    async run(stage) {
      const { definition } = stage;
      for (const text of ['', '{', ...stage.sample('interfaces').bad]) {
        await assertRefused(definition.readInterface(text), `readInterface(${JSON.stringify(text)})`, {
          codes: ['invalid-argument'],
          phase: 'interface',
          issues: true,
        });
      }
    },
  },
];
