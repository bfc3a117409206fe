/** The parts of the server's answers: visualiser/server/live/parts.py and each page's own. `part` tells them apart. */

import type { Walked } from "../js/pages/anatomy/arithmetic.js";
import type { Values } from "../js/link/values.js";
import type { Table } from "../js/files/csv.js";
import type { Row } from "../js/pages/explore/inspection.js";
import type { TileWeights } from "../js/pages/map/known_weights.js";
import type { Look } from "../js/pages/map/model.js";
import type { Vocabulary } from "../js/words/token.js";
import type { Drawing } from "./plotly.js";

/** A tree of values: its structure, sent once, and its values. */
export interface Entry<Tree> {
  hash: string;
  values: unknown[];
  structure?: unknown;
  /** Never sent; tells the checker what `revive` makes of the entry. */
  readonly tree?: Tree;
}

export type Drawings = Record<string, Entry<Drawing>>;

/** The server's reading of a link. */
export interface State {
  query: string;
  controls: Values;
  notices: string[];
}

/** A number as it is written, its formula, its arithmetic, and the name of its section. */
export type Reasoned = [string, string, string, string];

/** A sentence; of numbers that can be asked, a list. */
export type Sentence = string | (string | Reasoned)[];

/** Texts and numbers about the figures. */
interface Told {
  tables: Record<string, Entry<Table>>;
  summaries: Record<string, string>;
}

export interface Figures extends Told {
  part: "figures";
  drawings: Drawings;
  insight: Sentence[] | null;
  /** Of a sweep: false while more comes. */
  done?: boolean;
  /** Of a map. */
  sinks?: Sink[];
  /** Of the Model page: a few numbers beside the titles. */
  briefs?: Record<string, Sentence[]>;
  /** What stands in the place of a drawing that would be empty or untrue. */
  instead?: Record<string, Sentence[]>;
  /** Of the Model page: figures that only now turn out to have nothing to show. */
  absent?: string[];
}

/** One row of the Map, with its statistics. */
export interface RowFigures extends Figures {
  row: number;
  head: number;
  statistics: Record<string, number>;
  facts: { name: string; label: string; reason: [string, string, string] }[];
}

/** Explore's heat maps. */
export interface CellsHeader extends State {
  part: "cells";
  /** True during a drag. */
  light: boolean;
  /** Number of heads, queries and keys. */
  shape: [number, number, number];
  head: number;
  row: number | null;
  /** The layers of the trained model that is shown, and the layer's own mask. */
  trained: { layers: number; mask: string } | null;
  labels: Entry<Vocabulary & { tokens: string[] }>;
  drawings: { "heat-maps": Entry<Drawing> };
}

/** Explore's other figures; during a drag nothing is told about them. */
export interface Panels extends Partial<Told> {
  part: "panels";
  drawings: Drawings;
  insight?: Sentence[];
  arithmetic?: Sentence[];
  /** The numbers beside each panel's title, by figure. */
  briefs?: Record<string, Sentence[]>;
  /** What to try next: a button beside the sentence. */
  offer?: Offer;
}

/** What a button does to the controls; `pin` keeps the present state for comparison first. */
export interface Offer {
  text: string;
  change: Record<string, unknown>;
}

/** A curve to draw by hand. */
export interface Curve {
  x: number[];
  low: number;
  high: number;
  log_x: boolean;
  log_y: boolean;
  x_label: string;
  y_label: string;
}

interface Asked {
  part: "question";
  name: string;
  about: string;
  sentence: string;
  /** True if the answer is in sight: only a question asked before stays. */
  kept?: boolean;
  /** The question that a visitor may have instead. */
  following?: string;
}
/** Choices, each a value and its label, or a curve to draw. */
export type Question = Asked & ({ choices: [string, string][] } | { choices?: undefined; curve: Curve });

export interface Verdict {
  part: "verdict";
  name: string;
  right: boolean;
  sentences: Sentence[];
  /** How many of them, the first, judge the visitor's own answer. */
  judging: number;
  /** The right choices, or the true curve. */
  real: string[] | Entry<{ y: Float64Array }>;
  /** The settings that the question changed. */
  change?: Record<string, string | number | boolean>;
}

/** The cost of a map; `before`: the runs ahead in the queue. */
export interface Plan {
  part: "plan";
  /** Tokens that are mapped: all, or as many as fit. */
  n: number;
  /** The first one tells the time. */
  sentences: Sentence[];
  expected_seconds: number;
  before: number;
  /** What is said over the map if not all tokens fit. */
  cut: Sentence[];
  /** There if a trained model brings Q and K: the layers of its model, and its own mask. */
  trained: { layers: number; mask: string } | null;
}

/** A key with its share of the weight, 0 … 1, by head from 1; only heads in which it is a sink. */
export interface Sink {
  key: number;
  shares: [number, number][];
}

/** The sizes of a map, and the edges of its bins. */
export interface MapHeader {
  part: "map";
  /** The server's name for the map. */
  id: string;
  heads: number;
  n_q: number;
  n_k: number;
  bins_q: number;
  bins_k: number;
  row_edges: number[];
  column_edges: number[];
  /** What is said over the map if not all tokens fit. */
  cut: Sentence[];
  values: Entry<Vocabulary & { tokens: string[] | null; look: Look; ceiling: ArrayLike<number> }>;
}

/** Some rows or queries of all heads: [first, last). */
interface Range {
  first: number;
  last: number;
}
export type Overview = Range & { mean: Float32Array; maximum: Float32Array };
export type Strips = Range & Record<string, Float32Array | number>;

/** One sequence of positions that a model reads or writes, as `Line` of attention_core.learned describes it. */
export interface Line {
  name: string;
  tokens: string[];
  /** True if the text goes on. */
  cut: boolean;
  /** Seconds that a position of a sound stands for; 0 for what is none. */
  seconds: number;
  grids: PatchGrid[];
  /** The first position that the model wrote itself; 0 if it wrote none. */
  written: number;
  /** The tokens as the model's vocabulary has them, their numbers, and what each unknown one stands for; empty if not known. */
  forms: string[];
  ids: Int32Array | number[];
  stands: string[];
  /** The token with which the model ended what it wrote, which no position holds; empty if it did not. */
  end: string;
}

/** The patches of a picture among the positions of a line. */
export interface PatchGrid {
  picture: number;
  first: number;
  rows: number;
  columns: number;
  stride: number;
  /** Left, top, right and bottom of what it covers, as shares of the picture. */
  box: [number, number, number, number];
}

/** The page of one head over texts; before they are read with the model, which there are. */
export type HeadRead = HeadUnread | (Omit<HeadUnread, "read"> & HeadFound);

export interface HeadUnread {
  model: string;
  texts: string;
  /** The texts that the model can read, and what they are called. */
  choices: [string, string][];
  /** Why it cannot read these; empty if it can. */
  problem: string;
  read: false;
}

export interface HeadFound {
  read: true;
  said: Sentence[];
  layer: number;
  head: number;
  layers: number;
  h: number;
  /** The measure by which passages are sorted. */
  by: string;
  measures: HeadMeasure[];
  strongest: HeadPassage[];
  bands: HeadPassage[][];
  /** How many passages the sample has. */
  sampled: number;
  /** How many rows `keys`, `queries` and `pairs` are counted among. */
  counted: number;
  keys: HeadReads[];
  queries: HeadReads[];
  pairs: { query: string; key: string; rows: number; p: number }[];
  /** Where the bins of |q − k| begin, what share of the head's weight is in each, and that of one that reads all keys alike. */
  distances: { begins: number[]; share: Float32Array; even: Float32Array };
}

/** A measure of the head, and of all heads; `more` of them have more. */
export interface HeadMeasure {
  name: string;
  label: string;
  value: number | null;
  chance: number | null;
  rows: number;
  of: number;
  more: number;
  all: Float32Array;
  is_label: boolean;
  unit: string;
}

export interface HeadPassage {
  text: string;
  score: number;
  rows: number;
}

/** A token: in how many rows, how often it stands among the tokens of the texts, and the mean weight. */
export interface HeadReads {
  token: string;
  rows: number;
  of: number;
  tokens: number;
  p: number;
}

/** A passage as the model reads it, with the weights of the head: NaN where the mask forbids. */
export interface PassageRead {
  line: Line;
  weights: Float32Array;
  shape: [number, number];
}

/** What the Model page's script draws; layers, heads and labels are those of all heads, in the order of the model. */
export interface Model {
  lines: Line[];
  /** The numbers of the lines that the chosen layer attends from and to. */
  between: [number, number];
  /** For each layer the number of the line that it attends to. */
  reads: number[];
  /** What the model reads: "text", "target", … */
  takes: string[];
  /** True if the model wrote the target itself. */
  written: boolean;
  /** The tokens of the whole text; 0 if they are not counted. */
  whole: number;
  /** The HEADLIGHT_MEMORY_MB that would let the page read more of the text; 0 if memory is not what ends it. */
  room: number;
  /** True if the Map reads longer texts with this model. */
  longer: boolean;
  /** False for a run that was handed over: nothing of it can be changed. */
  runs: boolean;
  /** True if the chosen layer gives queries and keys, which other pages take. */
  opens: boolean;
  layers: number;
  /** The encoder, the decoder and what is between them: names, first layers and how many. Empty for one line alone. */
  parts: [string, number, number][];
  /** Layer and head of each, from 1. */
  heads: [number, number][];
  /** Null for heads that are measured over the corpus; why they cannot be; empty if they have still to be. */
  measuring: string | null;
  /** What each does over the corpus; empty without a label. */
  labels: string[];
  /** Nats that each costs; empty if they are not shown. */
  costs: Float32Array;
  /** What a run for costs takes that are asked for and not there: 0 seconds if there are none, or `refused` says why. */
  costing: { seconds: number; heads: number; refused: string } | null;
  /** The texts over which its heads can be read. */
  texts: string[];
  /** What is changed in the running model, as a link has it and in words; `overruled` if others decide instead. */
  changes: { written: string; said: string; overruled: boolean }[];
  /** The same of what is pinned as A; empty without it. */
  against: { written: string; said: string }[];
  /** The places of the heads that are shown, in their order. */
  order: number[];
  /** Of each head the value that sorts it, and the same in words with its rows and its chance; empty in the model's order. */
  values: [string, string][];
  /** Codes of colours, head by head. */
  maps: Uint8Array;
  /** Rows and columns of the maps of each layer. */
  sides: [number, number][];
  /** The figures that would answer a question. */
  covered: string[];
  /** The code of a forbidden cell. */
  masked: number;
  layer: number;
  head: number;
  row: number;
  key: number;
  locked: boolean;
  /** Those of the chosen head, NaN where the mask forbids. */
  weights: Float32Array;
  /** What the large map shows, of the choices of `shows`. */
  shows: string;
  /** That in place of the weights, NaN where the mask forbids and in rows that are empty; null for weights. */
  mapped: Float32Array | null;
  shape: [number, number];
  /** Of a layer that attends in windows the position of each place of each window, −1 for filling; weights and shape are then those of windows. */
  windows: Int32Array | null;
  /** The side of the windows in patches, and by how many they are shifted. */
  window: [number, number] | null;
  /** The names of the pictures that the model reads; none of a text. */
  pictures: string[];
  /** Which sound a speech model hears, its seconds, and those that the model always takes. */
  heard: { name: string; seconds: number; stretch: number } | null;
  /** The names of the measures that such a model has. */
  measures: string[];
  /** What the chosen query gives patches among a text, layers × patches grid by grid: the mean of each layer's heads. */
  readMean: Float32Array;
  /** The same of the head with the chosen number. */
  readHead: Float32Array;
  /** The figures that such a model does not have. */
  absent: string[];
}

/** A model that is not loaded, or not on this machine: `key` is that of its sentence. */
export type Unloaded = {
  model: string;
  megabytes: number;
  to_fetch?: number;
  here: boolean;
  key: string;
  takes: string;
  /** Layers of attention and heads of each; 0 if its files do not tell. */
  layers: number;
  h: number;
  licence: string;
  /** True if a link alone loads it. */
  auto: boolean;
};

/** A line of the list of models. Sizes are 0 and texts empty where only the Hub knows them. */
export interface ModelChoice {
  name: string;
  label: string;
  takes: string;
  licence: string;
  /** True if this page shows what it takes. */
  shown: boolean;
  /** What is wrong with its files. */
  problem: string;
  /** That it takes in memory. */
  megabytes: number;
  to_fetch: number;
  here: boolean;
  loaded: boolean;
  /** False if the server has not the memory. */
  fits: boolean;
  /** A value of HEADLIGHT_MODEL_MB that would do. */
  enough: string;
}

/** All models, and if the Hub is there, if any of them is of the Hub. */
export interface ModelChoices {
  models: ModelChoice[];
  offered: boolean;
  network: "there" | "away" | "asked";
}

/** A refusal; `retry`: seconds until the same request may succeed. */
export interface Failure {
  part: "error";
  message: string;
  retry?: number;
  /** True if the server no longer holds the map. */
  gone?: boolean;
}

export type Header =
  | (State & { part: "state"; shipped?: boolean; origin?: string[] | null })
  | Figures
  | CellsHeader
  | Panels
  | { part: "row"; row: Entry<Row> }
  | { part: "arithmetic"; made: string[] }
  | Question
  | Verdict
  | { part: "walk"; values: Entry<Walked> }
  | { part: "heads"; heads: Record<string, Drawings> }
  | { part: "model"; values: Entry<Model> }
  | { part: "head"; values: Entry<HeadRead> }
  | { part: "passage"; values: Entry<PassageRead> }
  | { part: "unloaded"; values: Entry<Unloaded> }
  | { part: "models"; values: Entry<ModelChoices> }
  | Plan
  | MapHeader
  | { part: "overview"; values: Entry<Overview> }
  | { part: "strips"; values: Entry<Strips> }
  | { part: "tile"; values: Entry<TileWeights> }
  | { part: "figure"; values: Entry<Drawing> }
  | { part: "file"; values: Entry<{ name: string; bytes: Uint8Array<ArrayBuffer> }> }
  | { part: "picture"; file: Entry<{ file: Uint8Array<ArrayBuffer> }>; message: string }
  | { part: "sound"; file: Entry<{ file: Uint8Array<ArrayBuffer> }>; message: string }
  | { part: "weights"; file: Entry<{ file: Uint8Array<ArrayBuffer> }>; message: string; model: string }
  | { part: "upload"; file: Entry<{ file: Uint8Array<ArrayBuffer> }>; message: string }
  | { part: "waiting"; before: number; at_once: number }
  | { part: "began"; run: string }
  | { part: "progress"; done: number; seconds_left: number | null }
  | { part: "ended"; megabytes?: number; again?: boolean }
  | Failure;

/** A part of an answer: its header, and the blocks that the header's entries point into. */
export interface Part<Its extends Header = Header> {
  header: Its;
  blocks: ArrayBuffer;
}
