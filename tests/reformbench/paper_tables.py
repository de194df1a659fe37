"""The paper's tables as printed (arXiv 2610.19693v1); percentages in percent, models in the order of Table 2."""

MODELS = (
    "Kimi K3",
    "GPT-5.6 Sol",
    "Gemini 3.5 Flash",
    "Qwen3.6-35B-A3B",
    "GLM-5.2",
    "DeepSeek-V4-Pro",
    "Qwen3.6-27B",
    "Claude Opus 4.6",
    "Qwen3-235B-A22B-Thinking",
    "Qwen3.5-9B",
)

# TCPR, EMCR, then the correction rates of K = 1, 2, 3
TABLE_2 = {
    "Kimi K3": (82.82, 64.72, 80.22, 63.92, 50.02),
    "GPT-5.6 Sol": (81.99, 62.31, 78.55, 61.95, 46.42),
    "Gemini 3.5 Flash": (78.08, 60.63, 78.28, 60.20, 43.42),
    "Qwen3.6-35B-A3B": (77.82, 60.34, 76.83, 60.46, 43.71),
    "GLM-5.2": (75.76, 55.50, 74.33, 55.09, 37.07),
    "DeepSeek-V4-Pro": (66.39, 44.81, 65.83, 43.89, 24.72),
    "Qwen3.6-27B": (65.46, 47.84, 67.04, 45.81, 30.66),
    "Claude Opus 4.6": (60.09, 42.33, 63.74, 41.24, 22.00),
    "Qwen3-235B-A22B-Thinking": (56.33, 34.04, 54.76, 31.16, 16.22),
    "Qwen3.5-9B": (51.81, 40.12, 61.96, 37.86, 20.55),
}

# Separate, joint and the printed difference
TABLE_3 = {
    "all_pass": (70.48, 64.43, -6.05),
    "opposed": (86.80, 84.05, -2.75),
    "aligned": (91.33, 87.30, -4.03),
    "gap": (-4.53, -3.25, 1.28),
}

# Coverage and catalog features of additional models
TABLE_4 = {
    "Gemini 3.1 Pro": (95.05, 64),
    "DeepSeek-V3.2": (96.03, 64),
    "gpt-oss-120b": (96.54, 65),
    "Doubao-Seed-2.1-Pro": (95.21, 62),
    "Pooled": (95.75, 65),
}

# Violating variants per failed unit at K = 1, 2, 3
TABLE_A2 = {
    "Kimi K3": (1.41, 1.61, 1.90),
    "GPT-5.6 Sol": (1.32, 1.52, 1.74),
    "Gemini 3.5 Flash": (1.42, 1.68, 1.98),
    "Qwen3.6-35B-A3B": (1.35, 1.55, 1.91),
    "GLM-5.2": (1.58, 1.91, 2.31),
    "DeepSeek-V4-Pro": (1.48, 1.85, 2.41),
    "Qwen3.6-27B": (2.04, 2.60, 3.35),
    "Claude Opus 4.6": (1.73, 2.17, 2.70),
    "Qwen3-235B-A22B-Thinking": (1.83, 2.42, 3.28),
    "Qwen3.5-9B": (2.29, 3.00, 3.73),
}

# Agreement of the judges, disagreements, adjudicated, agrees with GPT (count, percent), with Gemini (count, percent)
TABLE_A3 = {
    "Kimi K3": (91.74, 1239, 576, 568, 98.61, 8, 1.39),
    "GPT-5.6 Sol": (91.28, 1308, 588, 491, 83.50, 97, 16.50),
    "Gemini 3.5 Flash": (90.56, 1416, 609, 563, 92.45, 46, 7.55),
    "Qwen3.6-35B-A3B": (90.83, 1375, 602, 578, 96.01, 24, 3.99),
    "GLM-5.2": (89.71, 1544, 632, 598, 94.62, 34, 5.38),
    "DeepSeek-V4-Pro": (86.60, 2010, 698, 653, 93.55, 45, 6.45),
    "Qwen3.6-27B": (85.31, 2203, 719, 641, 89.15, 78, 10.85),
    "Claude Opus 4.6": (84.23, 2365, 736, 689, 93.61, 47, 6.39),
    "Qwen3-235B-A22B-Thinking": (85.43, 2185, 718, 717, 99.86, 1, 0.14),
    "Qwen3.5-9B": (81.02, 2847, 776, 750, 96.65, 26, 3.35),
}
TABLE_A3_TOTAL = (87.67, 18_492, 6654, 6248, 93.90, 406, 6.10)
POOL_INSTEAD = {"Kimi K3": 582, "GPT-5.6 Sol": 1000, "Claude Opus 4.6": 789}
POOL = (7125, 6689, 93.88, 436, 6.12)

# Extracted, excluded, valid, covered, uncovered, coverage
TABLE_A4 = {
    "Gemini 3.1 Pro": (9085, 42, 9043, 8595, 448, 95.05),
    "DeepSeek-V3.2": (8967, 48, 8919, 8565, 354, 96.03),
    "gpt-oss-120b": (11_601, 24, 11_577, 11_177, 400, 96.54),
    "Doubao-Seed-2.1-Pro": (10_259, 28, 10_231, 9741, 490, 95.21),
    "Pooled": (39_912, 142, 39_770, 38_078, 1692, 95.75),
}

# The first task has no name in the copy of the text
TASKS = (
    "(unnamed)",
    "Concept Explanation",
    "Information Extraction",
    "Decision Analysis",
    "Solution Design",
    "Creative Writing",
    "Code Generation",
)

# Questions, variants, mean TCPR, mean EMCR, the model of the highest EMCR, and that
TABLE_A5 = {
    "(unnamed)": (163, 754, 73.54, 56.59, "Kimi K3", 73.63),
    "Concept Explanation": (105, 559, 73.22, 56.00, "GPT-5.6 Sol", 71.74),
    "Information Extraction": (93, 362, 73.00, 59.59, "GPT-5.6 Sol", 71.72),
    "Decision Analysis": (133, 835, 70.96, 51.87, "Qwen3.6-35B-A3B", 69.74),
    "Solution Design": (167, 1008, 68.10, 50.23, "Kimi K3", 65.72),
    "Creative Writing": (133, 848, 66.50, 48.73, "Kimi K3", 65.60),
    "Code Generation": (116, 634, 64.96, 45.27, "Gemini 3.5 Flash", 55.24),
}

TABLE_A6_TCPR = {
    "Kimi K3": (87.69, 83.43, 84.76, 84.05, 79.95, 83.01, 78.06),
    "GPT-5.6 Sol": (85.92, 85.93, 87.37, 84.91, 80.12, 80.86, 71.40),
    "Gemini 3.5 Flash": (80.55, 78.56, 82.48, 78.91, 75.31, 81.24, 71.32),
    "Qwen3.6-35B-A3B": (79.10, 82.00, 82.74, 80.12, 74.81, 77.66, 71.75),
    "GLM-5.2": (79.24, 81.01, 77.09, 75.65, 77.30, 72.71, 68.01),
    "DeepSeek-V4-Pro": (71.83, 68.95, 69.03, 70.24, 62.82, 64.67, 59.10),
    "Qwen3.6-27B": (68.99, 69.02, 64.14, 65.78, 65.21, 59.91, 66.25),
    "Claude Opus 4.6": (65.89, 62.17, 66.81, 58.67, 57.02, 59.10, 55.63),
    "Qwen3-235B-A22B-Thinking": (58.12, 64.95, 71.03, 58.47, 57.95, 40.85, 53.48),
    "Qwen3.5-9B": (58.06, 56.16, 44.50, 52.79, 50.48, 45.02, 54.65),
}
TABLE_A6_EMCR = {
    "Kimi K3": (73.63, 65.36, 64.42, 65.97, 65.72, 65.60, 54.32),
    "GPT-5.6 Sol": (69.20, 71.74, 71.72, 59.22, 63.87, 60.20, 50.66),
    "Gemini 3.5 Flash": (62.23, 66.66, 67.88, 59.38, 56.25, 63.56, 55.24),
    "Qwen3.6-35B-A3B": (59.33, 65.13, 67.15, 69.74, 58.76, 59.84, 52.56),
    "GLM-5.2": (56.46, 61.28, 70.01, 54.63, 56.84, 53.65, 47.87),
    "DeepSeek-V4-Pro": (51.68, 51.97, 56.91, 46.72, 45.59, 39.85, 35.54),
    "Qwen3.6-27B": (55.71, 44.61, 48.46, 49.53, 49.67, 38.71, 50.42),
    "Claude Opus 4.6": (49.81, 39.32, 58.22, 40.79, 38.15, 42.23, 37.31),
    "Qwen3-235B-A22B-Thinking": (43.52, 45.72, 50.12, 32.75, 31.31, 23.75, 31.52),
    "Qwen3.5-9B": (44.38, 48.17, 41.00, 40.00, 36.12, 39.88, 37.25),
}

# Eligible units at K = 1, 2, 3, by task
TABLE_A7 = {
    "Kimi K3": "256 385 103 165 238 57 116 164 39 259 372 86 311 482 108 290 468 125 254 424 141",
    "GPT-5.6 Sol": "249 369 99 172 265 73 132 193 53 261 381 85 291 439 101 295 459 115 269 461 154",
    "Gemini 3.5 Flash": "211 284 67 144 201 46 104 152 36 238 318 62 282 410 83 299 488 134 253 405 135",
    "Qwen3.6-35B-A3B": "221 294 66 143 190 40 113 166 49 239 330 67 288 454 111 290 495 144 264 452 153",
    "GLM-5.2": "205 266 56 146 204 43 111 144 34 228 332 73 285 413 97 291 464 133 237 365 113",
    "DeepSeek-V4-Pro": "233 314 71 154 221 50 126 187 54 244 349 79 277 407 86 302 528 161 265 440 141",
    "Qwen3.6-27B": "229 324 65 158 227 63 104 129 27 254 365 92 302 468 107 289 479 134 238 382 113",
    "Claude Opus 4.6": "250 365 94 156 219 49 112 152 37 262 393 87 310 494 110 287 436 102 241 388 120",
    "Qwen3-235B-A22B-Thinking": "221 279 59 144 189 47 103 137 28 226 338 77 267 414 90 292 494 129 214 307 82",
    "Qwen3.5-9B": "205 276 58 139 187 37 100 128 28 217 294 66 271 396 92 282 460 123 254 434 143",
}

# Positive annotations, then eligible units and mean variant coverage at K = 1, 2, 3
TABLE_A8 = {
    "Kimi K3": (8327, (1651, 2533, 659), (3.99, 6.66, 8.92)),
    "GPT-5.6 Sol": (7559, (1669, 2567, 680), (4.00, 6.67, 9.08)),
    "Gemini 3.5 Flash": (10_970, (1531, 2258, 563), (3.91, 6.49, 8.51)),
    "Qwen3.6-35B-A3B": (11_642, (1558, 2381, 630), (3.90, 6.46, 8.60)),
    "GLM-5.2": (10_155, (1503, 2188, 549), (3.88, 6.38, 8.40)),
    "DeepSeek-V4-Pro": (9052, (1601, 2446, 642), (3.98, 6.67, 9.18)),
    "Qwen3.6-27B": (7557, (1574, 2374, 601), (4.06, 6.96, 9.58)),
    "Claude Opus 4.6": (7382, (1618, 2447, 599), (4.01, 6.70, 9.06)),
    "Qwen3-235B-A22B-Thinking": (7758, (1467, 2158, 512), (4.05, 6.85, 9.31)),
    "Qwen3.5-9B": (10_930, (1468, 2175, 547), (3.92, 6.59, 8.93)),
}
ANNOTATIONS = 91_332

TABLE_A10 = {"WildBench": 217, "ThoughtTrace": 186, "Inverse IFEval": 71, "ELI5": 33, "ExpertQA": 46}

# Questions with so many variants, targets in so many variants
TABLE_A11 = {
    "1": (256, 3008),
    "2": (147, 1139),
    "3": (98, 683),
    "4-5": (119, 610),
    "6-10": (152, 466),
    ">10": (138, 119),
}
RECURRING = 3017
MOST_VARIANTS, MOST_OCCURRENCES = 30, 24

TABLE_A14 = {"main": 50_000, "baseline": 9100, "coverage": 3640, "single": 15_000, "prompting": 5000}

# Fig. 4 and section 4.4: before and after
FIGURE_4 = {"TCPR": (52.76, 65.20), "EMCR": (40.33, 46.11), "K=3": (21.28, 27.51)}

QUESTIONS, AUTHORED, ENGLISH, CHINESE = 910, 357, 543, 367
VARIANTS, CONSTRAINTS = 5000, 15_000
OPPOSED_ITEMS, ALIGNED_ITEMS = 7959, 7041
