#!/usr/bin/env node
// The engine as a USI program, for the tables of the native one: lines in, lines out. `ENBU_WEB` is its folder.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { default: enbu } = await import(pathToFileURL(`${process.env.ENBU_WEB}/enbu.js`));
const engine = await enbu();
engine.addMessageListener(line => process.stdout.write(`${line}\n`));
const end = () => process.exit(0);
createInterface({ input: process.stdin }).on('line', line => (line.trim() === 'quit' ? end() : engine.postMessage(line))).on('close', end);
