"""Task seeds of the offline generator: everyday tasks that a very small model answers in a few sentences.

Each seed is a kind, the task, and topic words that fit its answer; the generator requires or forbids them.
The texts were written for this project.
"""

from __future__ import annotations

from typing import NamedTuple


class Seed(NamedTuple):
    """A task without constraints; `words` are topic words, none a part of another."""

    id: str
    kind: str
    task: str
    words: tuple[str, ...]


_ENGLISH = """
weather | Describe a rainy day. | umbrella window puddle grey
weather | Describe the first snow of winter. | white cold quiet street
weather | Explain why the sky turns red at sunset. | light clouds horizon evening
weather | Describe a strong wind at the sea. | waves sand boat sky
weather | Write about a hot summer afternoon. | shade lemonade sun slow
weather | Explain how a rainbow appears. | drops light colors sky
food | Explain why people drink tea. | warm calm morning leaf
food | Describe the smell of fresh bread. | oven warm crust kitchen
food | Explain how to make a simple sandwich. | bread cheese butter plate
food | Recommend a healthy snack. | fruit apple nuts energy
food | Describe your favorite soup. | bowl spoon vegetables warm
food | Explain why breakfast matters. | energy morning body hungry
animals | Describe a sleeping cat. | soft paws sofa quiet
animals | Explain why dogs make good pets. | loyal friend walk family
animals | Describe how birds build a nest. | twigs tree eggs careful
animals | Write about a horse in a field. | grass run gentle wind
animals | Explain why bees are useful. | flowers honey garden pollen
animals | Describe a fish tank. | water glass bright plants
nature | Describe a forest in autumn. | leaves golden path air
nature | Explain why trees need water. | roots soil grow leaves
nature | Describe a walk on the beach. | sand shells waves breeze
nature | Write about a mountain at dawn. | peak light mist silence
nature | Describe a small river. | stones clear bridge flow
nature | Explain what makes a flower open. | sun petals spring warmth
city | Describe a busy street. | cars noise people lights
city | Explain why a library is useful. | books quiet learn free
city | Describe a small bookshop. | shelves owner paper stories
city | Write about a night market. | lamps food music crowd
city | Describe a train station in the morning. | platform coffee tickets people
city | Explain why parks are good for a town. | trees children fresh walk
home | Describe a cozy living room. | sofa lamp blanket rug
home | Explain how to keep a desk tidy. | papers drawer daily clean
home | Describe a garden behind a house. | flowers fence bench grass
home | Give advice on washing dishes. | soap water sponge dry
home | Describe an old kitchen. | stove table wooden pots
home | Explain how to make a bed. | sheet pillow blanket smooth
school | Explain why reading is fun. | stories imagination learn page
school | Describe a good teacher. | patient kind clear listen
school | Give advice for the first day of school. | friends smile bag early
school | Explain how to learn new words. | practice notes repeat daily
school | Describe a classroom. | desks board students chalk
school | Explain why asking questions helps. | learn curious answer mind
work | Describe a good meeting. | short plan clear team
work | Explain why breaks are important at work. | rest focus energy mind
work | Write a short note to thank a colleague. | help project kind grateful
work | Describe the job of a baker. | bread early flour oven
work | Give advice for a job interview. | smile prepare honest listen
work | Explain what a nurse does. | patients care hospital help
health | Explain why sleep is important. | rest body brain night
health | Give advice on drinking enough water. | bottle daily thirst glass
health | Describe a morning stretch. | arms breath slow body
health | Explain why walking is healthy. | heart legs fresh daily
health | Give advice for a calm evening. | book tea quiet screen
health | Explain why we wash our hands. | soap germs clean safe
sport | Describe a football match. | player goal crowd team
sport | Explain why swimming is good exercise. | water muscles lungs strong
sport | Give advice to a new runner. | shoes slow rest steady
sport | Describe a bicycle ride. | wheels road wind hill
sport | Explain what makes a good team. | trust help together goal
sport | Describe a game of chess. | board king think moves
travel | Describe a trip by train. | window fields seat journey
travel | Explain what to pack for a weekend trip. | clothes bag shoes map
travel | Write a postcard from an island. | sea palm sunny blue
travel | Describe a quiet hotel room. | bed curtains view lamp
travel | Explain why people like to travel. | places culture new food
travel | Give advice for a long flight. | water sleep book stretch
family | Describe a birthday party. | cake candles friends gifts
family | Write about a visit to your grandmother. | tea stories kitchen hug
family | Explain why families eat together. | talk table share love
family | Describe a happy childhood memory. | summer laugh play garden
family | Write a short message to a new neighbor. | welcome street coffee help
family | Explain how to say sorry. | honest listen mistake words
science | Explain what the moon is. | earth rock orbit night
science | Explain why ice floats. | water dense cold molecules
science | Explain how a magnet works. | iron poles force metal
science | Explain what plants do with sunlight. | energy leaves food sugar
science | Describe a star in the night sky. | light gas distant bright
science | Explain why we have day and night. | earth sun spin light
technology | Explain what a computer does. | data program fast screen
technology | Describe a phone from long ago. | dial wire heavy ring
technology | Explain why passwords should be strong. | safe letters secret account
technology | Describe a robot that cleans the floor. | dust wheels battery room
technology | Explain what the internet is. | network computers pages connect
technology | Give advice on taking a good photo. | light camera steady focus
feelings | Explain what makes a friend good. | trust listen honest kind
feelings | Describe the feeling of coming home. | door warm safe family
feelings | Give advice to someone who is nervous. | breathe calm slow brave
feelings | Explain why people laugh. | happy joke share relax
feelings | Describe a moment of silence. | still breath peace snow
feelings | Write a kind message to a tired friend. | rest proud tea care
art | Describe a painting of the sea. | blue waves brush light
art | Explain why people like music. | rhythm mood dance memory
art | Describe a street musician. | guitar song coins crowd
art | Write about an old photograph. | faces paper memory dust
art | Explain how to draw a simple house. | square roof door pencil
art | Describe a dance on a stage. | lights steps music dress
story | Write a short story about a lost key. | door pocket search found
story | Write a short story about a brave mouse. | cheese cat hole night
story | Write about a boat in a storm. | waves sail captain thunder
story | Write a short story about a kind stranger. | smile help road gift
story | Write about a lantern in the dark. | glow path shadow night
story | Write about a door that nobody opens. | key dust hall secret
"""

_CHINESE = """
天气 | 描写一个下雨天。 | 雨伞 窗户 街道
天气 | 描写冬天的第一场雪。 | 雪花 安静 白色
天气 | 写一写夏天的傍晚。 | 微风 晚霞 蝉鸣
饮食 | 说说人们为什么喜欢喝茶。 | 清香 早晨 茶叶
饮食 | 介绍一道家常菜。 | 厨房 鸡蛋 味道
饮食 | 说说早餐为什么重要。 | 牛奶 精神 身体
动物 | 描写一只睡觉的猫。 | 尾巴 沙发 阳光
动物 | 说说狗为什么是人的好朋友。 | 忠诚 主人 散步
动物 | 描写小鸟筑巢的样子。 | 树枝 羽毛 春天
自然 | 描写秋天的树林。 | 落叶 金黄 小路
自然 | 写一写清晨的大海。 | 海浪 沙滩 日出
自然 | 描写一条小河。 | 石头 清澈 小桥
城市 | 描写一条热闹的街。 | 商店 行人 灯光
城市 | 说说图书馆有什么用。 | 书本 知识 学习
城市 | 描写早晨的火车站。 | 站台 旅客 行李
生活 | 给刚搬来的邻居写一句问候。 | 欢迎 帮忙 朋友
生活 | 说说怎样保持书桌整洁。 | 文件 习惯 每天
生活 | 介绍你喜欢的房间。 | 台灯 书架 温暖
健康 | 说说睡眠为什么重要。 | 休息 大脑 夜晚
健康 | 给第一次跑步的人一些建议。 | 鞋子 慢慢 坚持
学习 | 说说读书的好处。 | 故事 想象 快乐
学习 | 介绍一位好老师。 | 耐心 学生 课堂
科学 | 说说月亮是什么。 | 地球 夜空 岩石
科学 | 说说冰为什么浮在水上。 | 密度 寒冷 水面
家庭 | 描写一次生日聚会。 | 蛋糕 蜡烛 礼物
家庭 | 写一写看望奶奶的一天。 | 院子 饺子 拥抱
心情 | 说说什么样的人是好朋友。 | 信任 真诚 分享
心情 | 安慰一个紧张的同学。 | 放松 呼吸 勇敢
"""


def _read(table: str, prefix: str) -> tuple[Seed, ...]:
    rows = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    return tuple(
        Seed(f"{prefix}{number:03d}", kind, task, tuple(words.split()))
        for number, (kind, task, words) in enumerate(rows)
    )


ENGLISH = _read(_ENGLISH, "en")
CHINESE = _read(_CHINESE, "zh")


def seeds(language: str) -> tuple[Seed, ...]:
    """All seeds of a language (`en` or `zh`)."""
    return {"en": ENGLISH, "zh": CHINESE}[language]
