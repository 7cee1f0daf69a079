import { type Principal, recordActivity } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import { readSchema } from '@ledger-ops/glo-core';
import { listPage, once, type Tx } from '@ledger-ops/store';
import { and, asc, eq, or } from 'drizzle-orm';
import { checkCompilerVersion, readSource } from '../compile/source.ts';
import { refuseTooManyPending } from '../compile/turns.ts';
import { compilerLanguage } from '../compile/types.ts';
import { withPointers } from '../pointers.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible } from '../service.ts';
import { type DescribedTechnology, demandTechnology } from '../technologies.ts';
import { readChaincodePackage } from '../templates/chaincode-package.ts';
import { codeForm } from '../templates/code-form.ts';
import { checkCode } from '../templates/creation-code.ts';
import { addSourceSpecification, addSpecification, addTemplate } from '../templates/templates.ts';
import { all, visible } from '../visible.ts';
import { at } from './contract-registry.ts';
import type { ContractPlace, SmartContracts, SmartContractsOptions, SpecificationInput } from './types.ts';
import { specificationView, type TemplateRow, templateView } from './views.ts';

type TemplateOperations = Pick<
  SmartContracts,
  | 'listTemplates'
  | 'createTemplate'
  | 'template'
  | 'listSpecifications'
  | 'pageOfSpecifications'
  | 'specification'
  | 'constructorInputs'
  | 'createSpecification'
  | 'codeForm'
>;

const technologyPointer = '/ledgerTechnology/ledgerTechnologyID';

/** Templates and their versions for a caller. */
export function createTemplates(context: SmartContractsOptions): TemplateOperations {
  const { store, auth, now, reader, compilations, technologies } = context;
  const { read } = store;

  async function find(principal: Principal, templateId: string): Promise<TemplateRow> {
    const { template } = read.t;
    const rows = await read.db
      .select()
      .from(template)
      .where(or(eq(template.templateId, templateId), eq(template.uid, templateId)));
    const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
    const { scope: _scope, ...row } = await pickVisible(
      context,
      principal,
      'smart-contract-template',
      scoped,
    );
    return row;
  }

  async function record(tx: Tx, principal: Principal, action: string, row: TemplateRow, target: string) {
    await recordActivity(
      tx,
      principal,
      {
        action,
        service: 'older-contract-registry',
        resourceUid: row.uid,
        resourceId: row.templateId,
        resourceType: 'smart-contract-template',
        scope: row.projectId,
        targetObject: target,
      },
      now(),
    );
  }

  /** @throws Problem `not-found` */
  async function version(template: TemplateRow, tag: string) {
    const { specification } = read.t;
    const [row] = await read.db
      .select()
      .from(specification)
      .where(and(eq(specification.templateUid, template.uid), eq(specification.tag, tag)));
    if (row === undefined) throw gone('version of the template');
    return row;
  }

  /** A version to be added, checked and read outside of the transaction. */
  async function prepare(input: SpecificationInput, template: TemplateRow) {
    const { technology, templates } = await technologyOf(input, template.projectId);
    const { tag, description = null, compiled, preCompilationSpecification: sources } = input;
    const common = { templateUid: template.uid, tag, description, technology };
    const given = sources !== undefined && sources !== null;
    if (given === Boolean(compiled)) {
      const detail = 'either compiled output or sources are needed, and not both';
      throw invalidRequest([{ pointer: '/compilationSpecification', detail }]);
    }
    if (compiled && codeForm(templates) !== 'bytecode') {
      const read = codeForm(templates) === 'package' ? readPackaged : readText;
      const place = { technology, projectUid: template.projectId };
      const version = { ...common, ...(await read(compiled, place, templates)) };
      return (tx: Tx) => addSpecification(tx, version, context);
    }
    if (compiled) {
      const parsed = await at('/compilationSpecification/abi', () =>
        reader.readInterface({ technology, projectUid: template.projectId }, compiled.interface),
      );
      const version = {
        ...common,
        language: input.compilationLanguage ?? null,
        compilerVersion: input.targetCompilationVersion ?? null,
        compilation: compiled.text,
        interface: parsed,
        code: checkCode(compiled.code, '/compilationSpecification/bytecode'),
      };
      return (tx: Tx) => addSpecification(tx, version, context);
    }
    if (!isCompiled(templates)) {
      const detail = `nothing is compiled for ${technology}: give compiled output`;
      throw invalidRequest([{ pointer: technologyPointer, detail }]);
    }
    if (input.compilationLanguage && !isOurs(input.compilationLanguage)) {
      const detail = `must be ${compilerLanguage}`;
      throw invalidRequest([{ pointer: '/compilationLanguage', detail }]);
    }
    checkCompilerVersion(input.targetCompilationVersion ?? null, '/targetCompilationVersion');
    const source = readSource(sources, '/preCompilationSpecification');
    const version = { ...common, source, target: input.contract ?? null };
    return async (tx: Tx) => {
      await refuseTooManyPending(tx, template.projectId);
      tx.afterCommit(() => compilations.wake());
      return await addSourceSpecification(tx, version, context);
    };
  }

  /** A chaincode package is ready to be deployed. What stands for it is short: the package itself is the code. */
  async function readPackaged(compiled: CompiledOutput, place: ContractPlace) {
    const pointer = '/compilationSpecification';
    const { code, ...described } = await readChaincodePackage(compiled.code, `${pointer}/package`);
    const text = compiled.interface;
    const parsed =
      text === '' ? '' : await at(`${pointer}/interface`, () => reader.readInterface(place, text));
    const compilation = JSON.stringify(described);
    return { language: described.type, compilerVersion: null, compilation, interface: parsed, code };
  }

  /** Code in a form that only its plugin knows. */
  async function readText(
    { code, interface: text, text: compilation }: CompiledOutput,
    place: ContractPlace,
    templates: Templates,
  ) {
    const pointer = '/compilationSpecification';
    const { issues } = readSchema(templates.code).read(code, `${pointer}/code`);
    if (issues.length > 0) throw invalidRequest(issues);
    const parsed =
      text === '' ? '' : await at(`${pointer}/interface`, () => reader.readInterface(place, text));
    return { language: null, compilerVersion: null, compilation, interface: parsed, code };
  }

  /** The technology of a new version: the one that is named, else the first that our compiler serves. */
  async function technologyOf(
    { ledgerTechnology }: Pick<SpecificationInput, 'ledgerTechnology'>,
    projectUid: string,
  ): Promise<{ technology: string; templates: Templates }> {
    const technology = ledgerTechnology?.ledgerTechnologyID ?? (await firstCompiled(projectUid));
    const { templates } = await demandTechnology(technologies, technology, projectUid, technologyPointer);
    if (templates !== undefined) return { technology, templates };
    const detail = `ledgers of technology ${technology} have no templates of contracts`;
    throw invalidRequest([{ pointer: technologyPointer, detail }]);
  }

  async function firstCompiled(projectUid: string): Promise<string> {
    const known = await technologies.known(projectUid);
    const first = [...known].find(([, { templates }]) => templates !== undefined && isCompiled(templates));
    if (first !== undefined) return first[0];
    throw invalidRequest([{ pointer: technologyPointer, detail: 'is required' }]);
  }

  return {
    async listTemplates(principal, { project, resourceId, ...query }) {
      const table = read.t.template;
      const { uid, id, templateId, name, createdAt } = table;
      const where = all(
        visible(read, principal, uid, 'smart-contract-template'),
        inProject(read, principal, table.projectId, project),
        resourceId === undefined || resourceId === '' ? undefined : eq(templateId, resourceId),
      );
      const columns = {
        ...{ id, contractTemplateID: templateId, name, resourceId: templateId, createdAt },
        description: table.description,
      };
      const { items, total } = await listPage(
        read,
        { table, where, columns, created: id, tieBreaker: uid },
        query,
      );
      return { items: items.map(templateView), total };
    },

    async createTemplate(principal, input, claim) {
      const scope = await demandScope(context, principal, 'smart-contract-template:create', input.projectId);
      return await withPointers([['/templateId', '/contractTemplateID']], () =>
        once(store, { claim, status: 201 }, async (tx) => {
          const { projectUid: projectId, ...made } = await addTemplate(
            tx,
            {
              ...(input.contractTemplateID ? { templateId: input.contractTemplateID } : {}),
              projectUid: scope,
              name: input.name,
              description: input.description ?? null,
              owner: principal.serviceId,
            },
            context,
          );
          const row = { ...made, projectId };
          await record(tx, principal, 'create', row, row.name);
          return templateView(row);
        }),
      );
    },

    template: async (principal, templateId) => templateView(await find(principal, templateId)),

    async listSpecifications(principal, templateId) {
      const template = await find(principal, templateId);
      const { specification } = read.t;
      const rows = await read.db
        .select()
        .from(specification)
        .where(eq(specification.templateUid, template.uid))
        .orderBy(asc(specification.id));
      return rows.map((row) => specificationView(row, template));
    },

    async pageOfSpecifications(principal, templateId, query) {
      const template = await find(principal, templateId);
      const table = read.t.specification;
      const where = eq(table.templateUid, template.uid);
      const listing = { table, where, columns: {}, created: table.id, tieBreaker: table.uid };
      const { items, total } = await listPage(read, listing, query);
      const views = items.map((row) => specificationView(row, template));
      const without = { compilationSpecification: null, preCompilationSpecification: null };
      return { items: views.map((view) => ({ ...view, ...without })), total };
    },

    async specification(principal, templateId, tag) {
      const template = await find(principal, templateId);
      return specificationView(await version(template, tag), template);
    },

    async constructorInputs(principal, templateId, tag) {
      const template = await find(principal, templateId);
      const row = await version(template, tag);
      // Of sources that are not compiled, and of code whose interface the running contract tells, there is none.
      if (row.interface === null || row.interface === '') return null;
      const place = { technology: row.technology, projectUid: template.projectId };
      return await reader.constructorInputs(place, row.interface);
    },

    async createSpecification(principal, templateId, input, claim) {
      const template = await find(principal, templateId);
      await auth.demand(principal, 'smart-contract-template:update', template.uid);
      const add = await prepare(input, template);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const made = await add(tx);
        await record(tx, principal, 'create-version', template, made.tag);
        return specificationView({ ...made, attempts: 0, dueAt: 0 }, template);
      });
    },

    async codeForm(principal, templateId, input) {
      const { projectId } = await find(principal, templateId);
      return codeForm((await technologyOf(input, projectId)).templates);
    },
  };
}

type Templates = NonNullable<DescribedTechnology['templates']>;
type CompiledOutput = NonNullable<SpecificationInput['compiled']>;

function isCompiled({ languages = [] }: Templates): boolean {
  return languages.some(isOurs);
}

function isOurs(language: string): boolean {
  return language.toLowerCase() === compilerLanguage.toLowerCase();
}
