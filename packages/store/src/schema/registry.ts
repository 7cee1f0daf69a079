import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/** The records that there are: ledgers with nodes and explorers, plugins, contract groups and contracts, templates, tokens. */
export function registryTables(d: Dialect) {
  return {
    ledger: d.table(
      'ledger',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        /** Counter of the deprecated record. */
        id: d.int('id').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Null = of the deployer, usable in every project. */
        projectId: d.text('project_id'),
        /** Uid of its project, or of the system for one of the deployer: within it the id is unique. */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        /** The kind of ledger, in the deployer's words. */
        type: d.text('type').notNull(),
        featured: d.bool('featured').notNull(),
        technology: d.text('technology').notNull(),
        active: d.bool('active').notNull(),
        /** JSON object. */
        properties: d.text('properties').notNull(),
        /** JSON object of the properties that are secret, sealed by the master key. */
        secrets: d.bytes('secrets'),
        /** The registry's counter when the ledger or a node of it was changed last. */
        revision: d.int('revision').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('ledger_scope_id').on(t.scope, t.ledgerId)],
    ),

    node: d.table(
      'node',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        nodeId: d.text('node_id').notNull(),
        /** The scope of its ledger. */
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        name: d.text('name').notNull(),
        uri: d.text('uri').notNull(),
        client: d.text('client'),
        /** JSON object. */
        properties: d.text('properties').notNull(),
        /** JSON object of the properties that are secret, sealed by the master key. */
        secrets: d.bytes('secrets'),
        /** The ledger's default node has the lowest. */
        position: d.int('position').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('node_scope_id').on(t.scope, t.nodeId),
        d.index('node_ledger').on(t.ledgerUid, t.position),
      ],
    ),

    explorer: d.table(
      'explorer',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        explorerId: d.text('explorer_id').notNull(),
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        nodeUid: d.text('node_uid'),
        name: d.text('name').notNull(),
        /** JSON array of {type, properties: {name: value}}. */
        implementations: d.text('implementations').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('explorer_scope_id').on(t.scope, t.explorerId),
        d.index('explorer_ledger').on(t.ledgerUid, t.id),
        d.index('explorer_node').on(t.nodeUid),
      ],
    ),

    plugin: d.table(
      'plugin',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        pluginId: d.text('plugin_id').notNull(),
        /** Uid of its project, or of the system for one of the deployer, usable in every project. */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        url: d.text('url').notNull(),
        active: d.bool('active').notNull(),
        pluginType: d.text('plugin_type').notNull(),
        implementationVersion: d.text('implementation_version').notNull(),
        /** `sha512-…` of the module. */
        integrity: d.text('integrity'),
        /** Sealed: what shows a remote plugin who calls, bound to its url. */
        credentials: d.bytes('credentials'),
        /** The plugins' counter when this one was changed last. */
        revision: d.int('revision').notNull(),
        /** The same when its module was to be loaded anew last: another one, or activated again. Null: not since it was made. */
        moduleRevision: d.int('module_revision'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('plugin_scope_id').on(t.scope, t.pluginId)],
    ),

    pluginDescription: d.table('plugin_description', {
      pluginUid: d.text('plugin_uid').primaryKey(),
      /** Of the module that said it: it holds while the plugin has both still. */
      url: d.text('url').notNull(),
      integrity: d.text('integrity'),
      /** JSON object, in the runtime's form. */
      description: d.text('description').notNull(),
    }),

    pluginTag: d.table(
      'plugin_tag',
      {
        id: d.int('id').primaryKey(),
        pluginUid: d.text('plugin_uid').notNull(),
        tag: d.text('tag').notNull(),
      },
      (t) => [
        d.uniqueIndex('plugin_tag_once').on(t.pluginUid, t.tag),
        d.index('plugin_tag_tag').on(t.tag, t.pluginUid),
      ],
    ),

    contractGroup: d.table(
      'contract_group',
      {
        groupId: d.text('group_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('contract_group_project').on(t.projectId, t.createdAt)],
    ),

    contract: d.table(
      'contract',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        /** Counter of the deprecated record. */
        id: d.int('id').notNull(),
        contractId: d.text('contract_id').notNull(),
        groupId: d.text('group_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        /** As it was registered. */
        interface: d.text('interface').notNull(),
        /** As the adapter normalised it. */
        parsedInterface: d.text('parsed_interface').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        nativeReference: d.text('native_reference').notNull(),
        /** The template version that it was made from. */
        specificationUid: d.text('specification_uid'),
        /** JSON array of names. */
        types: d.text('types').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('contract_project_id').on(t.projectId, t.contractId),
        d.index('contract_by_group').on(t.groupId, t.createdAt),
        d.index('contract_ledger').on(t.ledgerUid),
      ],
    ),

    contractProperty: d.table(
      'contract_property',
      {
        id: d.int('id').primaryKey(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        /** JSON. */
        value: d.text('value').notNull(),
      },
      (t) => [d.uniqueIndex('contract_property_once').on(t.contractUid, t.name)],
    ),

    /** Names that deprecated records number: types of properties, of contracts. */
    namedType: d.table(
      'named_type',
      {
        id: d.int('id').primaryKey(),
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
      },
      (t) => [d.uniqueIndex('named_type_once').on(t.scope, t.name)],
    ),

    ledgerToken: d.table(
      'ledger_token',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        tokenId: d.text('token_id').notNull(),
        projectId: d.text('project_id').notNull(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        ticker: d.text('ticker').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('ledger_token_project_id').on(t.projectId, t.tokenId),
        d.index('ledger_token_contract').on(t.contractUid),
      ],
    ),

    template: d.table(
      'template',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateId: d.text('template_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        description: d.text('description'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('template_project_id').on(t.projectId, t.templateId)],
    ),

    /** One version (tag) of a template: compiled output, or sources that are to be compiled. */
    specification: d.table(
      'specification',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateUid: d.text('template_uid').notNull(),
        tag: d.text('tag').notNull(),
        description: d.text('description'),
        technology: d.text('technology').notNull(),
        language: d.text('language'),
        compilerVersion: d.text('compiler_version'),
        /** compilationSpecification: JSON as given, or as our compiler wrote it. */
        compilation: d.text('compilation').notNull(),
        status: d.text('status').notNull(),
        /** Normalised interface text. */
        interface: d.text('interface').notNull(),
        /** Creation code, `0x` hex. */
        code: d.text('code').notNull(),
        /** SHA-256 of the code and interface, hex. */
        checksum: d.text('checksum').notNull(),
        /** Sources that our compiler is given: Standard JSON. */
        source: d.text('source'),
        /** Which contract of the sources: `File.sol:Name`. */
        target: d.text('target'),
        /** Messages of our compiler: JSON array. */
        messages: d.text('messages').notNull(),
        hasPreprocessing: d.bool('has_preprocessing').notNull(),
        /** How often compiling it was begun. */
        attempts: d.int('attempts').notNull(),
        /** Not before. Moved ahead by whoever takes the row, so that one server compiles it. */
        dueAt: d.int('due_at').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('specification_tag').on(t.templateUid, t.tag),
        d.index('specification_pending').on(t.dueAt, t.id).where(sql`status = 'PENDING'`),
      ],
    ),
  };
}
