// A server of skills on MCP's own SDK for TypeScript, with the three methods of the extension by hand.
//
// usage: server.ts ROOT (stdio | PORT)
//
// Every folder in ROOT with a SKILL.md is a skill. One whose name begins with `unlisted` is not in
// the list, and one whose name begins with `dynamic` declares no digests. Pages hold two of anything.
// A change directly in ROOT is told as a change of the list.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { ProtocolError, Server, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const PAGE = 2;
const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } as const;
const [root, transport] = process.argv.slice(2);

type Entry = {
    uri: string;
    frontmatter: Record<string, string>;
    resources: 'dynamic' | { uri: string; digest: string; size: number }[];
};

function refused(what: string): ProtocolError {
    return new ProtocolError(-32602, what);
}

/** Names of what lies in a folder below the root, in order. */
function names(folder: string): string[] {
    return readdirSync(join(root, folder)).sort();
}

function isFolder(path: string): boolean {
    return statSync(join(root, path)).isDirectory();
}

function filesIn(folder: string): string[] {
    return names(folder).flatMap((name) => {
        const path = `${folder}/${name}`;
        return isFolder(path) ? filesIn(path) : [path];
    });
}

function uriOf(path: string): string {
    return `skill://${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path below the root that a URI names, if there is something. */
function pathOf(uri: string): string {
    const parts = uri.startsWith('skill://') ? uri.slice('skill://'.length).split('/') : [];
    const path = parts.map(decodeURIComponent).join('/');
    const clean = parts.length > 0 && path.split('/').every((part) => !['', '.', '..'].includes(part));
    if (!clean || !statSync(join(root, path), { throwIfNoEntry: false })) {
        throw refused(`there is no ${uri}`);
    }
    return path;
}

function entry(skill: string): Entry {
    const main = readFileSync(join(root, skill, 'SKILL.md'), 'utf8');
    const block = main.split('---\n')[1] ?? '';
    const fields = block.trim().split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2));
    const declared = filesIn(skill).map((path) => {
        const bytes = readFileSync(join(root, path));
        const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
        return { uri: uriOf(path), digest, size: bytes.length };
    });
    return {
        uri: uriOf(`${skill}/SKILL.md`),
        frontmatter: Object.fromEntries(fields),
        resources: skill.startsWith('dynamic') ? 'dynamic' : declared,
    };
}

function skills(): string[] {
    return names('.').filter((name) => isFolder(name) && names(name).includes('SKILL.md'));
}

function page<T>(items: T[], cursor: string | undefined): { items: T[]; nextCursor?: string } {
    const at = Number(cursor ?? 0);
    if (!(at >= 0 && at <= items.length)) {
        throw refused(`there is no page ${cursor}`);
    }
    const more = at + PAGE < items.length;
    return { items: items.slice(at, at + PAGE), ...(more && { nextCursor: String(at + PAGE) }) };
}

function resource(path: string) {
    const name = path.split('/').at(-1) ?? path;
    const mimeType = isFolder(path) ? 'inode/directory' : 'application/octet-stream';
    return { uri: uriOf(path), name, mimeType };
}

const Page = z.object({ cursor: z.string().optional() });
const Named = z.object({ uri: z.string() });

function skillServer(): Server {
    const extensions = { 'io.modelcontextprotocol/skills': { directoryRead: true } };
    const server = new Server(
        { name: 'ts-server', version: '1.0.0' },
        { capabilities: { resources: { listChanged: true }, extensions } },
    );
    server.setRequestHandler('skills/list', { params: Page.default({}) }, ({ cursor }) => {
        const listed = skills().filter((name) => !name.startsWith('unlisted'));
        const { items, nextCursor } = page(listed, cursor);
        return { ...COMPLETE, skills: items.map(entry), ...(nextCursor && { nextCursor }) };
    });
    server.setRequestHandler('skills/get', { params: Named }, ({ uri }) => {
        const skill = skills().find((name) => uriOf(`${name}/SKILL.md`) === uri);
        if (skill === undefined) {
            throw refused(`${uri} is no skill`);
        }
        return { ...COMPLETE, skill: entry(skill) };
    });
    server.setRequestHandler(
        'resources/directory/read',
        { params: Named.extend(Page.shape) },
        ({ uri, cursor }) => {
            const folder = pathOf(uri);
            if (!isFolder(folder)) {
                throw refused(`${uri} is no directory`);
            }
            const paths = names(folder).map((name) => `${folder}/${name}`);
            const { items, nextCursor } = page(paths, cursor);
            return { ...COMPLETE, resources: items.map(resource), ...(nextCursor && { nextCursor }) };
        },
    );
    server.setRequestHandler('resources/list', ({ params }) => {
        const { items, nextCursor } = page(skills(), params?.cursor);
        const resources = items.map((name) => resource(`${name}/SKILL.md`));
        return { resources, ...(nextCursor && { nextCursor }) };
    });
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
        const path = pathOf(uri);
        if (isFolder(path)) {
            throw refused(`${uri} is a directory`);
        }
        const bytes = readFileSync(join(root, path));
        const text = bytes.toString('utf8');
        const isText = Buffer.from(text, 'utf8').equals(bytes);
        return { contents: [isText ? { uri, text } : { uri, blob: bytes.toString('base64') }] };
    });
    return server;
}

if (transport === 'stdio') {
    serveStdio(() => {
        const server = skillServer();
        const watcher = watch(root, () => void server.sendResourceListChanged().catch(() => {}));
        server.onclose = () => watcher.close();
        return server;
    });
} else {
    const handler = createMcpHandler(skillServer);
    watch(root, () => handler.notify.resourcesChanged());
    const node = toNodeHandler(handler);
    createServer((request, response) => void node(request, response)).listen(
        Number(transport),
        '127.0.0.1',
    );
}
