export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Action: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
        };
        /** @description The same as a CloudEvent 1.0, structured, in JSON. */
        ActionCloudEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /**
             * Format: uri
             * @description The public address of this service.
             */
            source: string;
            type: components["schemas"]["EventType"];
            /** @description The action’s id. */
            subject: string;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["ActionEventData"];
        };
        ActionCounts: {
            status: {
                /** Format: int64 */
                PENDING: number;
                /** Format: int64 */
                SUCCEEDED: number;
                /** Format: int64 */
                FAILED: number;
            };
            /** @description Where those that are pending stand. */
            stage: {
                /** Format: int64 */
                blocked: number;
                /** Format: int64 */
                ready: number;
                /** Format: int64 */
                signed: number;
            };
            /** @description Why those that are pending are so, by the codes of pending reasons. */
            pending: {
                [key: string]: number;
            };
            /** @description False: very many are pending, and stage and pending count the newest 10,000 only. */
            complete: boolean;
        };
        ActionCreated: {
            /** Format: uuid */
            actionId: string;
            /** @description Equals actionId. */
            id: string;
            /** @description The request's intent. */
            intent: string | null;
            /** @enum {string} */
            status: "PENDING";
            /** @description What meta changed in options; absent when nothing. */
            overrides?: components["schemas"]["Override"][];
        };
        ActionCreator: {
            serviceId: string;
            appId: string;
        };
        ActionDetails: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @enum {string|null} */
            type: "transfer" | "contract_call" | "contract_deploy" | null;
            /** @description Id or address of the contract that is called, or the template of what is deployed. */
            contract: string | null;
            /** @description The method that is called. */
            method: string | null;
            /** @description Wallet or address that receives. */
            recipient: string | null;
            /** @description Native currency that goes along, in the ledger's smallest unit. */
            amount: string | null;
            unit: components["schemas"]["CurrencyUnit"];
            /** @description Paid, in the ledger's smallest unit. */
            fee: string | null;
            /** Format: int64 */
            blockHeight: number | null;
            /**
             * Format: date-time
             * @description Null while it is pending.
             */
            endedAt: string | null;
            creator: components["schemas"]["ActionCreator"];
            /** @description The operation as it was accepted, with what meta changed, and without what is secret. */
            operation: {
                [key: string]: unknown;
            };
            /** @description Of the method or the constructor, as they were sent; null: there are none. */
            arguments: string[] | null;
            /**
             * @description What was asked of it, and is not done yet.
             * @enum {string|null}
             */
            change: "cancel" | "hurry" | null;
            /** @description What meta changed in options. */
            overrides: components["schemas"]["Override"][];
            /** @description Those of the actions it depends on that the caller may see. */
            dependsOn: {
                actionId: string;
                /** @enum {string} */
                status: "PENDING" | "SUCCEEDED" | "FAILED";
            }[];
            /** @description The newest actions that depend on it. */
            dependents: string[];
            /** @description Its transactions, oldest first. */
            attempts: {
                txId: string;
                /**
                 * @description The transaction itself, a raise of its fee, or an empty one at its nonce.
                 * @enum {string}
                 */
                kind: "main" | "bump" | "noop";
                /** Format: int64 */
                sequence: number | null;
                /**
                 * Format: date-time
                 * @description When it was signed.
                 */
                at: string;
                /**
                 * Format: int64
                 * @description The ledger's newest block when it was signed, as far as it was known.
                 */
                signedAtHeight: number | null;
                /**
                 * Format: date-time
                 * @description When it was over for the action.
                 */
                settledAt: string | null;
                /** @description The most that it could take of the native currency, in the ledger's smallest unit. */
                maxCost: string;
                /** @description Of the one that the ledger executed: what was paid. */
                fee: string | null;
                /**
                 * Format: int64
                 * @description Of the same one: its block.
                 */
                blockHeight: number | null;
                /**
                 * Format: int64
                 * @description The last block that may execute it; null: it does not expire.
                 */
                validUntil: number | null;
                /** @description The transaction that was signed next, in its place or after it. */
                replacedBy: string | null;
                /** @description Why it took the place of the one before. */
                reason: string | null;
            }[];
            /**
             * Format: date-time
             * @description Since when it waits for what pending says; null: it does not wait, or that is not known.
             */
            waitingSince: string | null;
            /**
             * Format: date-time
             * @description While it is pending: when it fails unless it is signed by then; null: what is half done goes on.
             */
            deadline: string | null;
            steps: {
                /** Format: date-time */
                accepted: string;
                /** Format: date-time */
                signed: string | null;
                /**
                 * Format: date-time
                 * @description When a node took it first; null: not yet, or not known.
                 */
                sent: string | null;
                /** Format: date-time */
                ended: string | null;
            };
        };
        /** @description One change of an action: the payload of Standard Webhooks. */
        ActionEvent: {
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            type: components["schemas"]["EventType"];
            /** Format: date-time */
            timestamp: string;
            data: components["schemas"]["ActionEventData"];
        };
        ActionEventData: {
            actionId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @description Sender wallet. */
            walletId: string;
            ledgerId: string;
            intent: string;
            tag: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * @description By this event.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            /** @description Who asked for it; null: the service itself. */
            requestedBy: {
                serviceId: string;
                appId: string;
            } | null;
            /** @description Of ends: the transaction id on the ledger. */
            locator: string | null;
            /** @description Of ends: address of a deployed contract. */
            contractAddress: string | null;
            /**
             * Format: int64
             * @description Of ends.
             */
            blockHeight: number | null;
            /** @description Of ends: what was paid, in the ledger's smallest unit. */
            fee: string | null;
            /** @description Of failures: why. */
            problem: components["schemas"]["Problem"] | null;
        };
        ActionExplanation: {
            /** @description The whole in one sentence. */
            summary: string;
            sentences: components["schemas"]["ExplainedPart"][];
            /** @description What a person can do, best first. */
            next: components["schemas"]["SuggestedStep"][];
        };
        ActionOverview: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @enum {string|null} */
            type: "transfer" | "contract_call" | "contract_deploy" | null;
            /** @description Id or address of the contract that is called, or the template of what is deployed. */
            contract: string | null;
            /** @description The method that is called. */
            method: string | null;
            /** @description Wallet or address that receives. */
            recipient: string | null;
            /** @description Native currency that goes along, in the ledger's smallest unit. */
            amount: string | null;
            unit: components["schemas"]["CurrencyUnit"];
            /** @description Paid, in the ledger's smallest unit. */
            fee: string | null;
            /** Format: int64 */
            blockHeight: number | null;
            /**
             * Format: date-time
             * @description Null while it is pending.
             */
            endedAt: string | null;
            creator: components["schemas"]["ActionCreator"];
        };
        ActionOverviewPage: {
            actions: components["schemas"]["ActionOverview"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        ActionPage: {
            /** @enum {string} */
            contentType: "ActionPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Action"][];
        };
        /** @description While PENDING: what it waits for. */
        ActionPending: {
            /** @enum {string} */
            stage: "blocked" | "ready" | "signed";
            /**
             * @description The reason, for programs.
             * @enum {string}
             */
            code: "dependencies" | "suspended" | "turn" | "funds" | "fee-cap" | "approvals" | "refused" | "earlier-actions" | "nonce-gap" | "ledger-unavailable" | "plugin-unavailable" | "plugin-fault" | "next-transaction" | "confirmation" | "late" | "expiring" | "ledger-remark" | "change-hindered";
            /** @description The reason, in words. */
            detail: string;
        };
        /** @description The ledger took back the block that the action ended with, and does not show that end any more. Its status stays. */
        ActionRetracted: {
            /** Format: date-time */
            at: string;
            detail: string;
            /** @description Transaction id of what stands there instead. */
            by?: string;
        };
        AddressForm: {
            /** @description As RE2 reads it. */
            pattern: string;
            example: string;
        };
        AdminAccount: {
            accountId: string;
            /** @description Of its identity: who it is in tokens, roles and the timeline. */
            serviceId: string;
            name: string;
            email: string;
            projectId: string;
            /** @description serviceId. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AdminAccountPage: {
            items: components["schemas"]["AdminAccount"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminAnswerInvitationBody: {
            invitationToken: string;
            accept: boolean;
        };
        AdminApp: {
            appId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            projectId: string;
            appUrl: string | null;
            imageUrl: string | null;
            redirectUris: string[];
        };
        AdminAppPage: {
            items: components["schemas"]["AdminApp"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminAppRoleGrant: {
            appId: string;
            role: string;
        };
        AdminAppRoleGrants: {
            items: components["schemas"]["AdminAppRoleGrant"][];
        };
        AdminCreateAccountBody: {
            accountId?: string;
            /** @description Without control characters. */
            name: string;
            email?: string;
            projectId?: string;
        };
        AdminCreateAppBody: {
            appId?: string;
            /** @description Without control characters. */
            name: string;
            projectId?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appUrl?: string | null;
            redirectUris?: string[];
        };
        AdminCreateOrganizationBody: {
            organizationId?: string;
            /** @description Without control characters. */
            name: string;
            /**
             * @description Whether the caller becomes its owner.
             * @default true
             */
            own: boolean;
        };
        AdminCreateProjectBody: {
            projectId?: string;
            /** @description Without control characters. */
            name: string;
            organizationId: string;
        };
        AdminGrantRoleBody: {
            serviceId: string;
            /** @description resourceId or resourceUid. */
            resourceId: string;
            /** @description Without control characters. */
            role: string;
        };
        AdminInvitation: {
            /** Format: int64 */
            invitationId: number;
            /** @description Names the invitation to who was invited; proves nothing. */
            invitationToken: string;
            organizationId: string;
            email: string;
            state: string;
            subject: string | null;
            message: string | null;
            roles: {
                resourceUid: string;
                resourceId: string;
                resourceType: string;
                role: string;
            }[];
            /** @description serviceId. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        AdminInvitationPage: {
            items: components["schemas"]["AdminInvitation"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminInviteBody: {
            organizationId: string;
            email: string;
            /** @description Without control characters. */
            subject?: string | null;
            /** @description Without control characters but line ends and tabs. */
            message?: string | null;
            /** @default false */
            saml: boolean;
            roles?: {
                resourceId: string;
                /** @description Without control characters. */
                role: string;
            }[];
        };
        AdminOrganization: {
            organizationId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            imageUrl: string | null;
        };
        AdminOrganizationPage: {
            items: components["schemas"]["AdminOrganization"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminPermissionCheck: {
            allowed: boolean;
            missingOfIdentity: string[];
            missingOfApp: string[];
        };
        AdminProject: {
            projectId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            organizationId: string;
        };
        AdminProjectPage: {
            items: components["schemas"]["AdminProject"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminRole: {
            role: string;
            /** @enum {string} */
            heldBy: "IDENTITY" | "APP";
            description: string;
            permissions: string[];
        };
        AdminRoleGrant: {
            serviceId: string;
            /** @description The person’s address, or that of the account. */
            identifier: string;
            resourceUid: string;
            resourceId: string;
            resourceType: string;
            role: string;
        };
        AdminRoleGrantPage: {
            items: components["schemas"]["AdminRoleGrant"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminRoles: {
            items: components["schemas"]["AdminRole"][];
        };
        AdminSetAppRoleBody: {
            /** @description Without control characters. */
            role: string;
        };
        AdminUpdateAppBody: {
            /** @description Without control characters. */
            name?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appUrl?: string | null;
            redirectUris?: string[];
        };
        ApiToken: {
            apiToken: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** Format: int64 */
            dateCreated: number;
        };
        App: {
            appURL: string | null;
            /** Format: int64 */
            id: number;
            imageURL: string | null;
            appId: string;
            name: string;
            projectId: string;
            resourceId: string;
            resourceUUID: string;
            redirectUris: string[];
        };
        AppIdentityProperty: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            app: components["schemas"]["AppName"];
            name: string;
            value: string;
        };
        AppIdentityRole: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            app: components["schemas"]["AppName"];
            role: components["schemas"]["Role"];
        };
        AppName: {
            appId: string;
            name: string;
        };
        AppPage: {
            /** @enum {string} */
            contentType: "AppPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["App"][];
        };
        AppReference: {
            appId?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        AuthenticateUser: {
            /** @description Kind of credentials: `password`. */
            credentials: string;
            username: string | {
                value: string;
            };
            password: string | {
                value: string;
            };
        };
        AuthenticatedUser: {
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            /** Format: int64 */
            id: number;
            identifier: string;
            identityProfile: {
                displayName: string | null;
            };
            serviceId: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
        };
        AuthorizationServerMetadataAnswer: {
            issuer: string;
        } & {
            [key: string]: unknown;
        };
        BatchAcceptance: {
            /** Format: uuid */
            actionId: string;
            /** @description Equals actionId. */
            id: string;
            /** @description The request's intent. */
            intent: string | null;
            /** @enum {string} */
            status: "PENDING";
            /** @description What meta changed in options; absent when nothing. */
            overrides?: components["schemas"]["Override"][];
            name?: string;
        };
        BatchAnswer: {
            /**
             * Format: int64
             * @description Operations that were accepted.
             */
            accepted: number;
            /** Format: int64 */
            refused: number;
            /** @description Of each operation, in their order. */
            results: (components["schemas"]["BatchAcceptance"] | components["schemas"]["BatchRefusal"])[];
        };
        BatchBody: {
            /**
             * @description Nothing is accepted unless every operation can be.
             * @default false
             */
            allOrNothing: boolean;
            operations: components["schemas"]["BatchOperation"][];
        };
        BatchOperation: {
            /** @description Names of operations of this batch, and ids of actions. */
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            glo: components["schemas"]["Glo"];
            walletPassword: string;
            /** @description The other wallets that meta names as signers or payers (`x-wallet` in the schema of GET /v1/technologies), by id or address: each of them, once, and no other. On the ledger of walletId; the caller may send from each. */
            wallets?: components["schemas"]["OtherWallet"][];
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
            /** @description By which others of the batch depend on it; not the form of an action id. */
            name?: string;
        };
        BatchRefusal: {
            name?: string;
            /** @enum {string} */
            status: "REFUSED";
            problem: components["schemas"]["Problem"];
        };
        CallOptions: {
            service: components["schemas"]["CallServiceOptions"];
            /** @description A plugin id; empty or absent: chosen by tags. */
            plugin?: string | null;
        };
        CallParameter: {
            name?: string;
            /** @description Text, number, true/false, array or object. */
            value?: unknown;
        };
        CallServiceOptions: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            walletPassword: string;
        };
        CancelActionBody: {
            /**
             * Format: password
             * @description Needed only where nothing is kept that could sign another transaction in the place of the action’s; the answer then says so. It must be right wherever it is given.
             */
            walletPassword?: string;
        };
        ConsentForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
            /** @enum {string} */
            decision: "approve" | "deny";
        };
        Contract: {
            contractId: string;
            groupId: string;
            /** @description For Ethereum an ABI, as JSON text or human-readable. */
            interface: string;
            ledgerReference: {
                ledgerId: string;
                nativeReference: string;
            };
            /** @description Equals contractId when none was given. */
            name: string;
        };
        ContractCallBody: {
            contractId: string;
            method: string;
            options: components["schemas"]["CallOptions"];
            params?: components["schemas"]["CallParameter"][] | null;
        };
        ContractGroup: {
            groupId: string;
            name: string;
        };
        ContractGroupPage: {
            /** @enum {string} */
            contentType: "ContractGroupPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ContractGroup"][];
        };
        ContractGroupUpdate: {
            name: string;
            projectId?: unknown;
            groupId?: unknown;
        };
        ContractMethodCall: {
            /** @description By the names in the contract’s interface; in order, as an array, where names are missing. */
            arguments?: {
                [key: string]: unknown;
            } | unknown[];
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId?: string;
            walletPassword?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
            /** @description Meta of the GLO, such as a fee. */
            meta?: {
                [key: string]: unknown;
            };
        };
        ContractMethodResult: {
            /** @description Quantities are decimal text. */
            result?: unknown;
        };
        ContractPage: {
            /** @enum {string} */
            contentType: "ContractPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Contract"][];
        };
        ContractTemplatePage: {
            /** @enum {string} */
            contentType: "ContractTemplatePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["OldContractTemplate"][];
        };
        ContractUpdate: {
            /** @description Null: its id. */
            name?: string | null;
            interface?: string;
            groupId?: unknown;
            contractId?: unknown;
            ledgerReference?: unknown;
        };
        CreateAppBody: {
            /** @description Without control characters. */
            name: string;
            appId?: string;
            projectId?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appURL?: string | null;
            redirectUris?: string[];
        };
        CreateAppIdentityPropertyBody: {
            identity: string | components["schemas"]["IdentityReference"];
            app: string | components["schemas"]["AppReference"];
            /** @description Without control characters. */
            name: string;
            value: string;
        };
        CreateAppIdentityRoleBody: {
            identity: string | components["schemas"]["IdentityReference"];
            app: string | components["schemas"]["AppReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        CreateContractBody: {
            groupId?: string;
            /** @description May be absent where the ledger publishes it (Hyperledger Fabric). */
            interface?: string;
            ledgerReference: {
                ledgerId: string;
                nativeReference: string;
            };
            name?: string | null;
            contractId?: unknown;
        };
        CreateContractGroupBody: {
            name: string;
            projectId?: string;
            groupId?: unknown;
        };
        CreateExplorerBody: {
            /** @description Generated when absent. */
            explorerID?: string | null;
            ledgerID: string;
            nodeID?: string | null;
            name: string;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string | null;
            /** @description Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`). */
            implementations?: components["schemas"]["GivenImplementation"][] | null;
        };
        CreateIdentityBody: {
            identifier: string;
            /**
             * @default USER
             * @enum {string}
             */
            type: "USER" | "SAML" | "SERVICE";
            identityProfile?: {
                /** @description Without control characters. */
                displayName?: string | null;
            };
        };
        CreateLedgerBody: {
            /** @description Generated when absent. */
            ledgerID?: string | null;
            name: string;
            ledgerTechnology: {
                /**
                 * @description Of `GET /v1/technologies`.
                 * @example ethereum
                 */
                ledgerTechnologyID: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
            type?: {
                name: string;
            } | null;
            active?: boolean | null;
            featured?: boolean | null;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string | null;
            /** @description Nodes that it begins with, the default node first. */
            nodes?: {
                /** @description Generated when absent. */
                nodeID?: string | null;
                name?: string | null;
                client?: string | null;
                options: {
                    uri: string;
                };
                properties?: components["schemas"]["GivenProperty"][] | null;
            }[] | null;
        };
        CreateLegacyPluginBody: {
            name: string;
            pluginURL: string;
            /** @description Generated when absent. */
            pluginId?: string | null;
            /** @description Id of the project; absent: of the caller’s application. */
            project?: string | null;
            tags?: {
                name: string;
            }[] | null;
        };
        CreateLegacyPluginTagBody: {
            name: string;
        };
        CreateLookupTermBody: {
            /** @description Without control characters. */
            value: string;
        };
        CreateNodeBody: {
            /** @description Generated when absent. */
            nodeID?: string | null;
            ledgerID: string;
            name?: string | null;
            client?: string | null;
            options: {
                /** @description Absolute URL. */
                uri: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
            /** @description Makes it the default node of its ledger. */
            default?: boolean | null;
        };
        CreateOldContractBody: {
            /** @description Generated when absent. */
            contractInstanceID?: string | null;
            ledgerID: string;
            name?: string | null;
            /** @description The version that it was made from, by its id or by template and tag. */
            contractSpecification?: number | {
                /** Format: int64 */
                id?: number | null;
                tag?: string | null;
                contractTemplate?: {
                    contractTemplateID: string;
                } | null;
            } | null;
            /** @description `address`: where it is on its ledger. Without a version, `abi`: its interface. */
            properties?: components["schemas"]["GivenContractProperty"][] | null;
            types?: {
                name: string;
            }[] | null;
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOldContractSpecificationBody: {
            tag: string;
            /** @description Compiled output: JSON text, or the object itself, with abi and bytecode as solc, Hardhat or Foundry write them. Sources are taken here too. Where code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with it in package, and the interface, such as contract metadata, in interface; other code: a text, or in code. */
            compilationSpecification?: string | null;
            /** @description Sources that are compiled here: Solidity, or the compiler’s Standard JSON. Imports come from the sources and from @openzeppelin/contracts. */
            preCompilationSpecification?: string | null;
            /** @description Which contract of the sources: `Name` or `File.sol:Name`; absent: the only one. */
            contract?: string | null;
            compilationLanguage?: string | null;
            /** @description With sources: versions of the compiler that will do, such as `^0.8.26`. */
            targetCompilationVersion?: string | null;
            description?: string | null;
            ledgerTechnology?: {
                /**
                 * @description Of `GET /v1/technologies`.
                 * @example ethereum
                 */
                ledgerTechnologyID: string;
            } | null;
        };
        CreateOldContractTemplateBody: {
            /** @description Generated when absent. */
            contractTemplateID?: string | null;
            name: string;
            description?: string | null;
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOldTokenBody: {
            /** @description Generated when absent. */
            tokenID?: string | null;
            name: string;
            ticker: string;
            contractInstance: {
                contractInstanceID: string;
            };
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOrganizationBody: {
            /** @description Without control characters. */
            name: string;
            organizationID?: string;
        };
        CreatePluginBody: {
            name: string;
            projectId: string;
            url: string;
            /** @description Default: what the module says of itself. */
            implementationVersion?: string | null;
            /** @description Its technology, to be chosen by ledgers. */
            tags?: string[] | null;
            /** @description `sha512-` and the base64 of the SHA-512 of the module’s file, as npm writes it. */
            integrity?: string | null;
            credentials?: components["schemas"]["PluginCredentials"];
            active?: unknown;
            id?: unknown;
            pluginType?: unknown;
            health?: unknown;
            warnings?: unknown;
            hasCredentials?: unknown;
        };
        CreateProjectBody: {
            /** @description Without control characters. */
            name: string;
            projectID?: string;
            organization: string | components["schemas"]["OrganizationReference"];
        };
        CreateResourceBody: {
            id?: string;
            /** @enum {string} */
            type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account";
            properties?: {
                [key: string]: string;
            };
            parentId?: string;
        };
        CreateResourceIdentityRoleBody: {
            identity: string | components["schemas"]["IdentityReference"];
            resource: string | components["schemas"]["ResourceReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        CreateServiceAccountBody: {
            /** @description Without control characters. */
            name: string;
            accountId?: string;
            email?: string;
            project?: string | components["schemas"]["ProjectReference"];
        };
        CreateWalletBody: {
            ledgerId: string;
            walletId: string;
            /** @description walletPassword, and what the ledger’s plugin takes. */
            pluginParameters: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
        };
        CreateWebhookBody: {
            /**
             * Format: uri
             * @description https; http only to an address that is not public and that the deployer opened.
             */
            url: string;
            description?: string | null;
            types?: components["schemas"]["EventType"][] | null;
            /** @description Ids of ledgers. */
            ledgers?: string[] | null;
            /** @description Ids of sending wallets. */
            wallets?: string[] | null;
            /**
             * @default standard
             * @enum {string}
             */
            format: "standard" | "cloudevents";
        };
        CredentialValidation: {
            email: string;
            /**
             * Format: int64
             * @description For privateKey.
             */
            keyID?: number | null;
            secret: string;
            /** @description For privateKey: base64. */
            signature?: string | null;
        };
        /** @description The native currency; null: there is none, or it is not known on this server. */
        CurrencyUnit: {
            symbol: string;
            /** Format: int64 */
            decimals: number;
        } | null;
        DeploymentBody: {
            /** @description Of the constructor, in its order. */
            args?: string[] | null;
            /** @description Becomes the contractInstanceID of the deployed contract; absent: the action’s id. */
            id?: string | null;
            ledgerId: string;
            /** @description Of the deployed contract; absent: its id. */
            name?: string | null;
            /** @description Version of the template. */
            tag: string;
            templateId: string;
            walletId: string;
            walletPassword: string;
        };
        EmulateBody: {
            glo: components["schemas"]["Glo"];
            walletId?: string;
            ledgerId?: string;
            /** @description Asks the ledger as the wallet, with a signature, where it makes a difference who asks; figures.identity says who it was. */
            walletPassword?: string;
        };
        Emulated: {
            /** @description Decoded result; quantities are decimal text. */
            result?: unknown;
            /** @description Estimated fee in the ledger’s smallest unit. */
            fee: string | null;
            /** @description More of what the ledger said. */
            figures: {
                [key: string]: unknown;
            };
            /** @description What meta changed in options. */
            overrides: unknown[];
            /** @description What may make the result differ from that of the same operation sent. */
            warnings: string[];
        };
        /**
         * @description sent: signed after it had to wait, which counts as sent; an action that is signed as it is accepted has none. continued: it needs another transaction. retracted: the ledger does not show its end any more; reinstated: it does again.
         * @enum {string}
         */
        EventType: "action.accepted" | "action.sent" | "action.continued" | "action.cancel_requested" | "action.hurry_requested" | "action.succeeded" | "action.failed" | "action.cancelled" | "action.retracted" | "action.reinstated";
        ExplainedPart: {
            /** @enum {string} */
            about: "operation" | "history" | "state" | "safety";
            text: string;
        };
        Explorer: {
            explorerID: string;
            /** Format: int64 */
            id: number;
            implementations: {
                /** Format: int64 */
                id: number;
                properties: components["schemas"]["RecordProperty"][];
                type: components["schemas"]["IdAndName"];
            }[];
            ledgerID: string;
            name: string;
            nodeID: string | null;
            resourceId: string;
            /** @description `system`: of the deployer, shown in every project. */
            projectId: string;
        };
        ExplorerPage: {
            /** @enum {string} */
            contentType: "ExplorerPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Explorer"][];
        };
        ExplorerUpdate: {
            name?: string;
            nodeID?: string | null;
            /** @description Replaces all. */
            implementations?: components["schemas"]["GivenImplementation"][];
            id?: unknown;
            explorerID?: unknown;
            ledgerID?: unknown;
            resourceId?: unknown;
            projectId?: unknown;
        };
        ExportWalletBody: {
            walletPassword: string;
        };
        GatewayActionBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            /** @description Kept with the action, and shown with it. */
            context?: string | null;
            glo: components["schemas"]["Glo"];
            /** @description A live session of the caller (value of its cookie); empty or absent: none. */
            serviceSession?: string | null;
            walletPassword: string;
        };
        GatewayEmulated: {
            /** @description The decoded value, JSON text. */
            result: string;
        };
        GatewayEmulationBody: {
            /** @description In the order of the method. */
            args?: string[] | null;
            /** @description Id of a registered contract. */
            instanceId: string;
            methodName: string;
        };
        GatewayPluginActionBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            /** @description Of type contract_call. */
            glo: components["schemas"]["Glo"];
            /** @description Technology of the ledger, as locators name it. */
            ledger: string;
            ledgerId: string;
            pluginId: string;
            /** @description walletPassword is needed. */
            pluginSecrets: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
            /** @description The same as walletId. */
            wallet: string;
        };
        GatewayTransaction: {
            locator: string;
            smartContractAddress: string | null;
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            /** @description With withReceipt: as the ledger gives it; null before there is one. */
            receipt?: unknown;
        };
        GeneratedKey: {
            identifier: string;
            /** Format: int64 */
            keyID: number;
            /** @description PKCS #8, PEM. */
            privateKey: string;
            accountId: string;
            /** Format: int64 */
            keyId: number;
            tokenUri: string;
        };
        GivenContractProperty: {
            type: {
                name: string;
            };
            value?: unknown;
        };
        GivenImplementation: {
            type: {
                name: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
        };
        GivenProperty: {
            type: {
                name: string;
            };
            /** @description A secret that was answered as null stays when it is put back as null. */
            value?: unknown;
        };
        /**
         * Generic ledger operation (GLO)
         * @description Canonical form, version 0.1.0; or one of two older forms of a contract call.
         */
        Glo: components["schemas"]["GloTransfer"] | components["schemas"]["GloContractCall"] | components["schemas"]["GloContractDeploy"] | components["schemas"]["GloGatewayCall"] | components["schemas"]["GloCloudWalletCall"];
        /** @description The cloud wallet’s form; deprecated. */
        GloCloudWalletCall: {
            /** @enum {string} */
            type: "contract_call";
            options: components["schemas"]["GloOlderCall"];
            meta?: components["schemas"]["GloMeta"];
        };
        GloContractCall: {
            version: string;
            /** @enum {string} */
            type: "contract_call";
            options: {
                contract_instance: components["schemas"]["GloLocator"];
                /** @description Without control characters and lone surrogates. */
                method_name: string;
                args?: string[];
            };
            meta?: components["schemas"]["GloMeta"];
        };
        GloContractDeploy: {
            version: string;
            /** @enum {string} */
            type: "contract_deploy";
            options: {
                contract_source: components["schemas"]["GloLocator"];
                args?: string[];
            };
            meta?: components["schemas"]["GloMeta"];
        };
        GloEthereumContent: {
            from?: string;
            to?: string;
            data?: string;
            chainId?: string | number;
            nonce?: string | number;
            value?: string | number;
            gasPrice?: string | number;
            gasLimit?: string | number;
            maxFeePerGas?: string | number;
            maxPriorityFeePerGas?: string | number;
            accessList?: {
                address: string;
                storageKeys: string[];
            }[];
        };
        GloFabricContent: {
            /** @description Without control characters and lone surrogates. */
            channel?: string;
            /** @description Without control characters and lone surrogates. */
            chaincode?: string;
            /** @description Without control characters and lone surrogates. */
            contract?: string;
            transient?: {
                [key: string]: string;
            };
            endorsing_organizations?: string[];
            /** @description Without control characters and lone surrogates. */
            name?: string;
            /** @description Without control characters and lone surrogates. */
            version?: string;
            /** @description Without lone surrogates. */
            endorsement_policy?: string;
        };
        /** @description The older gateway’s form; deprecated. */
        GloGatewayCall: {
            /** @enum {string} */
            type: "contract_call";
            params: components["schemas"]["GloOlderCall"];
            meta?: components["schemas"]["GloMeta"];
        };
        GloLedgerLookup: {
            /** @enum {string} */
            type: "ledger";
            value: string;
        };
        GloLocator: {
            lookup_service: components["schemas"]["GloServiceLookup"] | components["schemas"]["GloLedgerLookup"];
            /** @description Without control characters and lone surrogates. */
            resource: string;
        };
        GloMeta: {
            /** @description By the name of a technology. What the content of one is that is not listed here says the plugin of its ledgers. */
            ledger?: {
                ethereum?: {
                    /** @description Without control characters and lone surrogates. */
                    version: string;
                    native_transaction_content: components["schemas"]["GloEthereumContent"];
                };
                "hyperledger-fabric"?: {
                    version: string;
                    native_transaction_content: components["schemas"]["GloFabricContent"];
                };
            } & {
                [key: string]: {
                    /** @description Without control characters and lone surrogates. */
                    version: string;
                    native_transaction_content: Record<string, never>;
                };
            };
        };
        GloOlderCall: {
            contractInstance: string | components["schemas"]["GloLocator"];
            /** @description Without control characters and lone surrogates. */
            methodName: string;
            args?: string[];
        };
        GloServiceLookup: {
            /** @enum {string} */
            type: "service";
            /** @enum {string} */
            value: "service";
        };
        GloTransfer: {
            version: string;
            /** @enum {string} */
            type: "transfer";
            options: {
                recipient: components["schemas"]["GloLocator"];
                amount: string | number;
            };
            meta?: components["schemas"]["GloMeta"];
        };
        HurryActionBody: {
            /**
             * Format: password
             * @description Needed only where nothing is kept that could sign another transaction in the place of the action’s; the answer then says so. It must be right wherever it is given.
             */
            walletPassword?: string;
            /**
             * @description The most for a unit of the ledger’s fee (Ethereum: wei for a unit of gas), decimal or 0x text. The ledger’s own caps hold beside it.
             * @example 50000000000
             */
            maxFee?: string;
        };
        IdAndName: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        Identity: {
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateUpdated: number;
            /** Format: int64 */
            id: number;
            identifier: string;
            identityProfile: {
                displayName: string | null;
                imageURL: string | null;
            };
            serviceId: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
        };
        IdentityConfig: {
            items: {
                /** @description Without control characters. */
                key: string;
                value: string;
            }[];
        };
        IdentityName: {
            serviceId: string;
            identifier: string;
        } | null;
        IdentityPage: {
            /** @enum {string} */
            contentType: "IdentityPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Identity"][];
        };
        IdentityProfile: {
            displayName: string | null;
        };
        IdentityReference: {
            serviceId?: string | null;
            identifier?: string | null;
        };
        ImageBody: {
            data: string;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp" | "svg";
        };
        InitUser: {
            acceptTnC: boolean;
            additional: {
                name: string;
                password: string;
            };
            /** @description From a mail, and nowhere else: of a new identity, or of an invitation, which is accepted by it. Works once. */
            initToken: string;
        };
        InitializedUser: {
            email: string;
        };
        Invitation: {
            createdByIdentity: {
                serviceId: string;
            };
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateExpires: number;
            emailSubject: string | null;
            /** Format: int64 */
            id: number;
            invitationResourceRoles: {
                /** Format: int64 */
                id: number;
                resource: components["schemas"]["Resource"];
                role: components["schemas"]["Role"];
            }[];
            /** @enum {string} */
            invitationState: "PENDING" | "CANCELED" | "ACCEPTED" | "REJECTED" | "EXPIRED";
            /** @description Names the invitation; proves nothing. */
            invitationToken: string;
            message: string | null;
            organizationId: string;
            userEmail: string;
        };
        InviteUserBody: {
            userEmail: string;
            /** @description Without control characters. */
            emailSubject?: string | null;
            /** @description Without control characters but line ends and tabs. */
            message?: string | null;
            organizationId?: string | null;
            invitationResourceRoles?: {
                resource: string | components["schemas"]["ResourceReference"];
                role: string | components["schemas"]["RoleReference"];
            }[];
        };
        IssuedApiToken: {
            apiToken: string;
            handle: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        IssuedAppToken: {
            appId: string;
            appToken: string;
        };
        Ledger: {
            active: boolean;
            /** Format: int64 */
            id: number;
            ledgerID: string;
            ledgerTechnology: {
                /** Format: int64 */
                id: number;
                ledgerTechnologyID: string;
                name: string;
            };
            name: string;
            properties: components["schemas"]["RecordProperty"][];
            resourceId: string;
            type: {
                name: string;
            };
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            featured: boolean;
        };
        LedgerCallBody: {
            ledgerId: string;
            /** @enum {string} */
            method: "transfer" | "contract_call" | "contract_deploy";
            options: components["schemas"]["CallOptions"];
            params?: components["schemas"]["CallParameter"][] | null;
        };
        LedgerNode: {
            client: string | null;
            /** Format: int64 */
            id: number;
            name: string;
            nodeID: string;
            properties: components["schemas"]["RecordProperty"][];
            resourceId: string;
            /** @description Scheme, host and port; `/…` stands for the rest, which may hold credentials. */
            uri: string;
            ledgerID: string;
        };
        LedgerPage: {
            /** @enum {string} */
            contentType: "LedgerPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Ledger"][];
        };
        LedgerPlugin: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
        };
        LedgerTechnologyDescription: {
            /** @description As ledgers, locators and meta name it. */
            name: string;
            title: string;
            /** @description Namespace of its chains (CAIP-2). */
            namespace: string;
            /** @description The native currency; null: there is none. */
            unit: components["schemas"]["CurrencyUnit"];
            addresses: {
                account: components["schemas"]["AddressForm"];
                contract?: components["schemas"]["AddressForm"];
            } | null;
            /** @description Of `meta.ledger.<name>`. Null: any object. */
            content: {
                /** @description Of `native_transaction_content`: one, or one for each type of operation. */
                schema: {
                    [key: string]: unknown;
                };
                /** @description Pattern of the versions of meta that are read. */
                version?: string;
                /** @description Members that go before options of the operation. */
                overrides?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Properties of a ledger, beside those that all ledgers have. `writeOnly`: secret; `x-address`: says where secrets go. Null: nothing is said of it. */
            ledgerProperties: {
                [key: string]: unknown;
            } | null;
            /** @description Properties of a node, likewise. Null: nothing is said of it. */
            nodeProperties: {
                [key: string]: unknown;
            } | null;
            /** @description `pluginParameters` of a new wallet, beside `walletPassword` and what imports a key of the type of the plugin. Null: nothing is said of it. */
            walletParameters: {
                [key: string]: unknown;
            } | null;
            /** @description The form of compiled code, and the languages that the server compiles for it. */
            templates: {
                code: {
                    [key: string]: unknown;
                };
                /** @description Code is a package that is looked into. */
                package?: boolean;
                languages?: string[];
            } | null;
            plugins: {
                id: string;
                /** @description The plugin’s own version. */
                version: string;
                /** @description `remote`: the plugin keeps the keys itself. */
                keyType: string;
                capabilities: {
                    [key: string]: unknown;
                };
            }[];
        };
        LedgerTechnologyDescriptions: {
            technologies: components["schemas"]["LedgerTechnologyDescription"][];
        };
        LedgerUpdate: {
            name?: string;
            /** @description Replaces all. */
            properties?: components["schemas"]["GivenProperty"][];
            type?: {
                name: string;
            };
            active?: boolean;
            featured?: boolean;
            id?: unknown;
            ledgerID?: unknown;
            ledgerTechnology?: unknown;
            resourceId?: unknown;
            projectId?: unknown;
        };
        LegacyPlugin: {
            /** Format: int64 */
            id: number;
            name: string;
            pluginId: string;
            pluginURL: string;
            /** @description `system`: of the deployer, usable in every project. */
            project: string;
            resourceId: string;
            tags: components["schemas"]["LegacyPluginTag"][];
        };
        LegacyPluginTag: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        LegacyPluginUpdate: {
            name: string;
            pluginURL: string;
        };
        Liveness: {
            /** @enum {string} */
            status: "ok";
        };
        Login: {
            /**
             * @description The user’s e-mail address.
             * @example ada@example.com
             */
            username: string;
            password: string;
        };
        LoginForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
            username: string;
            password: string;
        };
        LookupTerm: {
            /** Format: int64 */
            id: number;
            value: string;
        };
        NodePage: {
            /** @enum {string} */
            contentType: "NodePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["LedgerNode"][];
        };
        NodeUpdate: {
            name?: string;
            client?: string | null;
            options?: {
                /** @description Absolute URL. */
                uri: string;
            };
            /** @description As it was answered: it stays as it is. */
            uri?: string;
            /** @description Replaces all. */
            properties?: components["schemas"]["GivenProperty"][];
            default?: boolean;
            id?: unknown;
            nodeID?: unknown;
            ledgerID?: unknown;
            resourceId?: unknown;
        };
        OAuthError: {
            error: string;
            error_description?: string;
        };
        OldContract: {
            /** @description JSON text: status, language and checksum of its version. */
            compilationDetails: string | null;
            compileVersion: string | null;
            contractInstanceID: string;
            contractSpecification: components["schemas"]["OldContractSpecification"] | null;
            /** Format: int64 */
            id: number;
            ledgerID: string;
            name: string;
            properties: {
                /** Format: int64 */
                id: number;
                type: components["schemas"]["RecordPropertyType"];
                /** @description Any JSON value. */
                value?: unknown;
            }[];
            resourceId: string;
            types: components["schemas"]["IdAndName"][];
        };
        /** @description An object with them, or the list itself. */
        OldContractProperties: {
            properties: components["schemas"]["GivenContractProperty"][];
        } | components["schemas"]["GivenContractProperty"][];
        OldContractSpecification: {
            /** @description SHA-256 of code and interface. */
            checksum: string;
            compilationLanguage: string | null;
            /** @description Compiled output, JSON text; null until it is compiled. */
            compilationSpecification: string | null;
            /** @enum {string} */
            compilationStatus: "COMPILED" | "PENDING" | "FAILED";
            contractTemplate: components["schemas"]["OldContractTemplate"];
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            description: string | null;
            hasPreprocessing: boolean;
            /** Format: int64 */
            id: number;
            ledgerTechnology: {
                /** Format: int64 */
                id: number;
                ledgerTechnologyID: string;
            };
            preCompilationSpecification: string | null;
            /** @description The version; a deployment names template:tag. */
            tag: string;
            targetCompilationVersion: string | null;
            /** @description What the compiler said. */
            compilationMessages: {
                /** @enum {string} */
                severity: "error" | "warning" | "info";
                message: string;
                file: string | null;
                /** Format: int64 */
                line: number | null;
                /** Format: int64 */
                column: number | null;
            }[];
        };
        OldContractTemplate: {
            contractTemplateID: string;
            description: string | null;
            /** Format: int64 */
            id: number;
            name: string;
            resourceId: string;
        };
        OldToken: {
            contractInstance: components["schemas"]["OldContract"];
            /** Format: int64 */
            id: number;
            name: string;
            resourceId: string;
            ticker: string;
            tokenID: string;
        };
        OlderActionCreated: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "PENDING";
        };
        OpenApiDocument: {
            /** @enum {string} */
            openapi: "3.1.0";
        } & {
            [key: string]: unknown;
        };
        Organization: {
            /** Format: int64 */
            id: number;
            name: string;
            organizationID: string;
            resourceId: string;
            resourceUUID: string;
            imageURL: string | null;
        };
        OrganizationPage: {
            /** @enum {string} */
            contentType: "OrganizationPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Organization"][];
        };
        OrganizationReference: {
            organizationID?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        OtherUserForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
        };
        OtherWallet: {
            walletId: string;
            walletPassword: string;
        };
        OverriddenValue: string | string[] | null;
        Override: {
            field: string;
            from: components["schemas"]["OverriddenValue"];
            to: components["schemas"]["OverriddenValue"];
        };
        PermissionEvaluatorResult: {
            identity: {
                serviceId: string;
            };
            appId: string;
            missingAppPermissions: string[];
            missingResourcePermissions: string[];
            resourceId: string;
            result: boolean;
        };
        PermissionListing: {
            identity: {
                serviceId: string;
            };
            identityPermissions: string[];
            appPermissions: string[];
            resourceID: string;
        };
        /** @description Of a remote plugin: what shows it who calls. Kept sealed, never answered, and given anew when `url` changes. Null: none. */
        PluginCredentials: {
            bearerToken?: string;
            /** @description PEM, with its chain: mutual TLS. */
            clientCertificate?: string;
            /** @description PEM, of the certificate. */
            clientKey?: string;
            /** @description PEM, in place of public ones: who signed the plugin’s own certificate. */
            certificateAuthority?: string;
        } | null;
        /** @description How it is doing on the server that answers. */
        PluginHealth: {
            /** @description It was loaded and answers. */
            loaded: boolean;
            /** @description It can serve ledgers of this technology; null before it was loaded. */
            technology: string | null;
            /** @description The plugin’s own version. */
            version: string | null;
            lastError: {
                /** Format: date-time */
                at: string;
                detail: string;
            } | null;
            /** @description Milliseconds of a call, a moving average; null before the first. */
            latency: number | null;
            /**
             * Format: int64
             * @description Times that its process was started again.
             */
            restarts: number;
            /**
             * @description How its process is shut off: `isolated` by namespaces of the kernel and Node’s permission model, `restricted` by the latter alone; null: it has no process of its own on the server.
             * @enum {string|null}
             */
            isolation: "isolated" | "restricted" | null;
        };
        PluginPage: {
            /** @enum {string} */
            contentType: "PluginPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["LegacyPlugin"][];
        };
        PluginPagedResult: {
            /** @enum {string} */
            contentType: "PluginPagedResult";
            hasMore: boolean;
            /**
             * Format: int64
             * @description Zero-based; on the last page the page itself.
             */
            nextPage: number;
            /**
             * Format: int64
             * @description Zero-based; on the first page the page itself.
             */
            previousPage: number;
            pageContent: components["schemas"]["LedgerPlugin"][];
        };
        PluginSelection: {
            ledgerId: string;
            /** @description What the plugin must have, the technology first. */
            tags: string[];
            /** @description Null: none fits. */
            chosen: {
                id: string;
                canServe: boolean;
                /** @description Why it cannot serve the ledger on this server. */
                fault: string | null;
            } | null;
            /** @description All that the project may use, those that fit first. */
            candidates: {
                id: string;
                name: string;
                builtIn: boolean;
                isChosen: boolean;
                /** @description Why it is not chosen. */
                reason: string | null;
            }[];
        };
        PluginTags: {
            tags: string[];
        };
        PluginUpdate: {
            active: boolean;
            name: string;
            url: string;
            implementationVersion?: string | null;
            integrity?: string | null;
            credentials?: components["schemas"]["PluginCredentials"];
            projectId?: unknown;
            tags?: unknown;
            id?: unknown;
            pluginType?: unknown;
            health?: unknown;
            warnings?: unknown;
            hasCredentials?: unknown;
        };
        PluginWithHealth: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
            health: components["schemas"]["PluginHealth"];
        };
        Problem: {
            /** @example urn:ledger-ops:problem:invalid-request */
            type: string;
            title: string;
            /** Format: int64 */
            status: number;
            detail: string;
            /** @description Each invalid value: a JSON Pointer into the body, or the parameter’s name. */
            errors?: {
                pointer: string;
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        Project: {
            /** Format: int64 */
            id: number;
            name: string;
            organization: components["schemas"]["Organization"];
            projectID: string;
            resourceId: string;
            resourceUUID: string;
        };
        ProjectPage: {
            /** @enum {string} */
            contentType: "ProjectPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Project"][];
        };
        ProjectReference: {
            projectID?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        PublicKeySet: {
            keys: {
                e: string;
                kid: string;
                /** @enum {string} */
                kty: "RSA";
                n: string;
                /** @enum {string} */
                use: "sig";
                /** @enum {string} */
                alg: "RS256";
            }[];
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not-ready";
            reasons: string[];
            /** @description Single nodes of ledgers that are served all the same, and modules that are not shut off as they could be. */
            warnings: string[];
        };
        RecordProperty: {
            /** Format: int64 */
            id: number;
            type: components["schemas"]["RecordPropertyType"];
            /** @description Of any type; null for a secret, which is never answered. */
            value?: unknown;
        };
        RecordPropertyType: {
            /** Format: int64 */
            id: number;
            name: string;
            scope?: components["schemas"]["IdAndName"];
        };
        Resource: {
            resourceID: string;
            resourceUUID: string;
            type: {
                /** Format: int64 */
                id: number;
                /** @enum {string} */
                name: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
            };
            properties: {
                /** Format: int64 */
                id: number;
                name: string;
                value: string;
            }[];
            /** @description resourceUUID of the resource above it; null: the system. */
            parentId: string | null;
        };
        ResourceIdentityRole: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            resource: components["schemas"]["Resource"];
            role: components["schemas"]["Role"];
        };
        ResourceIdentityRolePage: {
            /** @enum {string} */
            contentType: "ResourceIdentityRolePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ResourceIdentityRole"][];
        };
        ResourcePage: {
            /** @enum {string} */
            contentType: "ResourcePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Resource"][];
        };
        ResourceReference: {
            resourceUUID?: string | null;
            resourceID?: string | null;
        };
        RespondToInvitationBody: {
            /** Format: int64 */
            id?: number;
            invitationToken?: string | null;
            /** @enum {string} */
            invitationState?: "ACCEPTED" | "REJECTED" | "CANCELED";
        };
        RevocationRequest: {
            /** @description A refresh token or an access token. */
            token: string;
            /** @description Not needed. */
            token_type_hint?: string;
            /** @description The application id. Needed here or in HTTP Basic. */
            client_id?: string;
            client_secret?: string;
            client_assertion?: string;
            /** @enum {string} */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        Role: {
            description: string;
            /** Format: int64 */
            id: number;
            name: string;
            permissions: {
                action: string;
                /** Format: int64 */
                id: number;
            }[];
            /** @enum {string} */
            roleType: "IDENTITY" | "APP";
        };
        RoleReference: {
            name?: string | null;
        };
        SearchActionsBody: {
            actionIds: string[];
        };
        SearchIntentsBody: {
            intents: string[];
        };
        SendBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            glo: components["schemas"]["Glo"];
            walletPassword: string;
            /** @description The other wallets that meta names as signers or payers (`x-wallet` in the schema of GET /v1/technologies), by id or address: each of them, once, and no other. On the ledger of walletId; the caller may send from each. */
            wallets?: components["schemas"]["OtherWallet"][];
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
        };
        SendTransactionBody: {
            /** Format: uuid */
            actionId: string;
            glo: components["schemas"]["Glo"];
            pluginParams: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
            wallet: string;
        };
        ServiceAccount: {
            accountId: string;
            /** @description serviceId */
            createdBy: string;
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            email: string;
            /** Format: int64 */
            id: number;
            name: string;
            /** @description projectID */
            project: string;
            resourceId: string;
            /** @description serviceId */
            updatedBy: string;
            /** @description Its identity; also the resourceUUID. */
            serviceId: string;
        };
        ServiceAccountKey: {
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            generatedBy: string;
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            keyID: number;
            privateKeyFormat: string;
            publicKey: string;
            publicKeyFormat: string;
            serviceAccount: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        ServiceAccountPage: {
            /** @enum {string} */
            contentType: "ServiceAccountPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ServiceAccount"][];
        };
        SetAppRoleBody: {
            app: string | components["schemas"]["AppReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        SmartContractPage: {
            /** @enum {string} */
            contentType: "SmartContractPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["OldContract"][];
        };
        /** @description Null: it is done elsewhere. */
        SuggestedRequest: {
            method: string;
            path: string;
        } | null;
        SuggestedStep: {
            action: string;
            request: components["schemas"]["SuggestedRequest"];
            /** @description That the request needs; null: none. */
            permission: string | null;
        };
        Suspension: {
            suspensionId: string;
            ledgerId?: string;
            walletId?: string;
            projectId?: string;
            reason: string;
            /** @description serviceId of who suspended it. Of a ledger for those alone who may resume it; else null. */
            createdBy: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        SuspensionBody: {
            ledgerId?: string;
            walletId?: string;
            projectId?: string;
            /** @description Why; whoever may see its actions reads it. */
            reason: string;
        };
        SuspensionPage: {
            suspensions: components["schemas"]["Suspension"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        TimelineRecord: {
            action: string;
            /** Format: date-time */
            datePerformed: string;
            /** Format: date-time */
            dateRegistered: string;
            /** @description serviceId; empty: the service itself. */
            identity: string;
            appID: string;
            projectID: string;
            pubsubMessageID: string;
            resourceID: string;
            resourceType: string;
            service: string;
            /** @description What else it was about; may be empty. */
            targetObject: string;
        };
        TokenBody: {
            /** @enum {string} */
            grant_type: "client_credentials" | "authorization_code" | "refresh_token";
            /** @description The application id. Needed here or in HTTP Basic. */
            client_id?: string;
            /** @description API token of the service account; with the grants of users’ applications, where it can be left out, the application’s token. HTTP Basic takes its place. */
            client_secret?: string;
            /** @description Account id. With HTTP Basic the secret says whose it is. */
            service_account?: string;
            client_assertion?: string;
            /** @enum {string} */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            code?: string;
            code_verifier?: string;
            redirect_uri?: string;
            refresh_token?: string;
        };
        TokenResponse: {
            /** @description A JWT (RFC 9068). */
            access_token: string;
            /**
             * Format: int64
             * @description Seconds.
             */
            expires_in: number;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description With the grants of users’ applications. Good for one use within 7 days. */
            refresh_token?: string;
        };
        TransactionSent: {
            problem: components["schemas"]["Problem"] | null;
            /** @enum {string} */
            status: "PROCESSING" | "SUCCEEDED" | "FAILED";
            txId: string;
        };
        TransactionStatus: {
            details: {
                contractAddress: string | null;
                locator: string | null;
            };
            problem: components["schemas"]["Problem"] | null;
            /** @enum {string} */
            status: "PROCESSING" | "SUCCEEDED" | "FAILED";
            /** @description As it was asked for. */
            txId: string;
        };
        UpdateAppBody: {
            /** @description Without control characters. */
            name?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appURL?: string | null;
            redirectUris?: string[];
        };
        UpdateIdentityProfileBody: {
            /** @description Without control characters. */
            displayName: string;
        };
        Wallet: {
            walletId: string;
            walletAddress: string;
            ledgerId: string;
            /** @description secp256k1 or p256. */
            keyType: string;
            /** Format: date-time */
            createdAt: string;
        };
        WalletCreated: {
            walletAddress: string;
        };
        WalletExport: {
            /** @enum {string} */
            format: "keystore-v3" | "pem" | "ed25519-pair";
            document: string;
            /** @description The same pair in base58 (ed25519). */
            base58?: string;
            /** @description The certificate of a PEM key. */
            certificate?: string;
        };
        WalletPage: {
            /** @enum {string} */
            contentType: "WalletPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Wallet"][];
        };
        WalletPasswordBody: {
            walletPassword: string;
            newPassword: string;
        };
        WalletWithBalance: {
            walletId: string;
            walletAddress: string;
            ledgerId: string;
            /** @description secp256k1 or p256. */
            keyType: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Native currency in the smallest unit, decimal text; null where the ledger has none. */
            balance: string | null;
            /** @description Other names of the account on its ledger, such as the x509:: id of a Fabric identity. */
            aliases: string[];
            /** @description The certificate that the account is; null where it is none. */
            certificate: {
                pem: string;
                /** Format: date-time */
                expiresAt: string;
            } | null;
        };
        Webhook: {
            id: string;
            url: string;
            description: string | null;
            /** @description Null: all. */
            types: components["schemas"]["EventType"][] | null;
            /** @description Null: all. */
            ledgers: string[] | null;
            /** @description Null: all. */
            wallets: string[] | null;
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** @description Why the service disabled it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: the last delivery succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            earlierSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookChange: {
            /**
             * Format: uri
             * @description https; http only to an address that is not public and that the deployer opened.
             */
            url?: string;
            description?: string | null;
            types?: components["schemas"]["EventType"][] | null;
            /** @description Ids of ledgers. */
            ledgers?: string[] | null;
            /** @description Ids of sending wallets. */
            wallets?: string[] | null;
            /** @enum {string} */
            format?: "standard" | "cloudevents";
            /** @enum {string} */
            status?: "ENABLED" | "DISABLED";
        };
        WebhookDelivery: {
            eventId: string;
            type: string;
            actionId: string;
            /**
             * @description DEAD: given up after three days, or as the webhook was disabled.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "DEAD";
            /** Format: int64 */
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it is tried next.
             */
            nextAt: string | null;
            /** Format: date-time */
            lastAt: string | null;
            /**
             * Format: int64
             * @description HTTP status; null: there was no answer.
             */
            lastStatus: number | null;
            lastError: string | null;
        };
        WebhookDeliveryPage: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookReplay: {
            eventId?: string;
            /**
             * Format: date-time
             * @description Of the last seven days.
             * @example 2026-11-20T12:30:05Z
             */
            from?: string;
        };
        WebhookTest: {
            delivered: boolean;
            /**
             * Format: int64
             * @description Null: there was no answer.
             */
            status: number | null;
            error: string | null;
        };
        WebhookWithSecret: {
            id: string;
            url: string;
            description: string | null;
            /** @description Null: all. */
            types: components["schemas"]["EventType"][] | null;
            /** @description Null: all. */
            ledgers: string[] | null;
            /** @description Null: all. */
            wallets: string[] | null;
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** @description Why the service disabled it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: the last delivery succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            earlierSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description `whsec_…`, of Standard Webhooks; shown this once. */
            secret: string;
        };
        WrittenPlugin: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
            /** @description What is likely not meant, or can be known only later: a remote plugin that does not answer, a technology that no ledger has. */
            warnings: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
